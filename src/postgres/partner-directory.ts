// Port partner-directory over Postgres. What it answers may be kept for some seconds: the statement that records a
// nonce judges key and address again (decision 12), and a token's issuer is matched to the intent's partner.
import type { PartnerDirectory, SigningKey, TokenIssuer } from '../ports/partner-directory';
import type { SecretSeal } from '../signing/sealed-secret';
import type { Queryable } from './database';
import { knownPartnerId } from './intent-row';

interface KeyRow {
  readonly key_id: string;
  readonly partner_id: string;
  readonly secret_sealed: Buffer;
  readonly revokes_at: Date | null;
  readonly networks: readonly string[];
}

interface PartnerDirectoryOptions {
  readonly database: Queryable;
  readonly environment: string;
  readonly seal: SecretSeal;
}

export function createPartnerDirectory({
  database,
  environment,
  seal,
}: PartnerDirectoryOptions): PartnerDirectory {
  return {
    async findSigningKey(keyId) {
      const { rows } = await database.query<KeyRow>({
        name: 'find-signing-key',
        text: `select k.key_id, k.partner_id, k.secret_sealed, k.revokes_at,
                      array(select a.network::text from partner_addresses a where a.partner_id = k.partner_id) as networks
                 from signing_keys k
                where k.key_id = $1 and k.environment = $2 and k.revoked_at is null`,
        values: [keyId, environment],
      });
      return rows[0] === undefined ? undefined : toSigningKey(rows[0], seal);
    },

    async findTokenIssuer(issuer) {
      const { rows } = await database.query<{
        readonly partner_id: string;
        readonly jwks_url: string;
      }>({
        name: 'find-token-issuer',
        text: `select p.partner_id, p.jwks_url
                 from token_issuers t join partners p on p.partner_id = t.partner_id
                where t.environment = $1 and t.issuer = $2`,
        values: [environment, issuer],
      });
      return rows[0] === undefined ? undefined : toTokenIssuer(rows[0]);
    },
  };
}

function toSigningKey(row: KeyRow, seal: SecretSeal): SigningKey {
  return {
    keyId: row.key_id,
    partnerId: knownPartnerId(row.partner_id),
    secret: seal.open(row.secret_sealed, row.key_id),
    allowedNetworks: row.networks,
    revokesAt: row.revokes_at,
  };
}

function toTokenIssuer(row: {
  readonly partner_id: string;
  readonly jwks_url: string;
}): TokenIssuer {
  return { partnerId: knownPartnerId(row.partner_id), jwksUrl: row.jwks_url };
}
