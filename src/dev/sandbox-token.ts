// A session token as the backend of a sandbox partner mints it when its payer opens the checkout (spec, "Session JWT").
import { mintSessionToken, type Intent } from '../sdk';
import type { SandboxPartner } from './sandbox-file';

/** @param subject the payer's id at the partner */
export function mintSandboxToken(
  partner: SandboxPartner,
  subject: string,
  intent: Intent,
): Promise<string> {
  const at = new Date();
  return mintSessionToken({
    issuer: partner.issuer,
    kid: partner.session_kid,
    privateKeyPem: partner.session_private_key_pem,
    subject,
    intent,
    kycAttestation: { verified: true, method: 'document', verifiedAt: at },
    sanctionsAttestation: { clean: true, screenedAt: at },
  });
}
