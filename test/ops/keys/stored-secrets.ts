// All sealed secrets in Postgres, and how many of them open under a seal.
import { UnopenedSecret, type SecretSeal } from '../../../src/signing/sealed-secret';
import type { TestBed } from '../../support/builders';

interface StoredSecret {
  readonly owner: string;
  readonly sealed: Buffer;
}

export async function storedSecrets({
  database,
}: Pick<TestBed, 'database'>): Promise<readonly StoredSecret[]> {
  const { rows } = await database.query<StoredSecret>({
    text: `select key_id as owner, secret_sealed as sealed from signing_keys
           union all
           select 'webhook:' || partner_id, secret_sealed from webhook_endpoints
           union all
           select 'webhook:' || partner_id, previous_secret_sealed from webhook_endpoints
            where previous_secret_sealed is not null`,
  });
  return rows;
}

export async function countOpened(
  bed: Pick<TestBed, 'database'>,
  seal: SecretSeal,
): Promise<number> {
  const secrets = await storedSecrets(bed);
  return secrets.filter(({ owner, sealed }) => opens(seal, sealed, owner)).length;
}

function opens(seal: SecretSeal, sealed: Buffer, owner: string): boolean {
  try {
    return seal.open(sealed, owner) !== '';
  } catch (error) {
    if (error instanceof UnopenedSecret) return false;
    throw error;
  }
}
