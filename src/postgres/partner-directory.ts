// Port partner-directory over Postgres. Partners are onboarded by hand, so the whole of it is small.
import type { PartnerDirectory, SigningKey, TokenIssuer } from '../ports/partner-directory';
import type { SecretSeal } from '../signing/sealed-secret';
import type { Queryable } from './database';
import { knownPartnerId } from './intent-row';

interface KeyRow {
  readonly key_id: string;
  readonly partner_id: string;
  readonly secret_sealed: Buffer;
  readonly is_revoked: boolean;
  readonly revokes_at: Date | null;
  readonly networks: readonly string[];
}

interface IssuerRow {
  readonly issuer: string;
  readonly partner_id: string;
  readonly jwks_url: string;
  readonly return_schemes: readonly string[];
  readonly kyc_max_age_seconds: number | null;
  readonly sanctions_max_age_seconds: number | null;
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
  const readVersion = async () => {
    const { rows } = await database.query<{ readonly version: number }>({
      name: 'read-directory-version',
      text: `select version from directory_version`,
    });
    return rows[0]?.version ?? 0;
  };
  return {
    readVersion,
    async read() {
      // The version first: what changes between the statements is then seen as a change once more, and never missed.
      const version = await readVersion();
      const keys = await readKeys(database, environment);
      const issuers = await readIssuers(database, environment);
      return {
        version,
        keys: new Map(keys.map((row) => [row.key_id, toSigningKey(row, seal)])),
        issuers: new Map(issuers.map((row) => [row.issuer, toTokenIssuer(row)])),
      };
    },
  };
}

async function readKeys(database: Queryable, environment: string): Promise<readonly KeyRow[]> {
  const { rows } = await database.query<KeyRow>({
    name: 'read-signing-keys',
    text: `select k.key_id, k.partner_id, k.secret_sealed, k.revoked_at is not null as is_revoked, k.revokes_at,
                  array(select a.network::text from partner_addresses a where a.partner_id = k.partner_id) as networks
             from signing_keys k where k.environment = $1`,
    values: [environment],
  });
  return rows;
}

async function readIssuers(
  database: Queryable,
  environment: string,
): Promise<readonly IssuerRow[]> {
  const { rows } = await database.query<IssuerRow>({
    name: 'read-token-issuers',
    text: `select t.issuer, p.partner_id, p.jwks_url, p.return_schemes, p.kyc_max_age_seconds,
                  p.sanctions_max_age_seconds
             from token_issuers t join partners p on p.partner_id = t.partner_id
            where t.environment = $1`,
    values: [environment],
  });
  return rows;
}

function toSigningKey(row: KeyRow, seal: SecretSeal): SigningKey {
  return {
    keyId: row.key_id,
    partnerId: knownPartnerId(row.partner_id),
    openSecret: () => seal.open(row.secret_sealed, row.key_id),
    allowedNetworks: row.networks,
    isRevoked: row.is_revoked,
    revokesAt: row.revokes_at,
  };
}

function toTokenIssuer(row: IssuerRow): TokenIssuer {
  return {
    partnerId: knownPartnerId(row.partner_id),
    jwksUrl: row.jwks_url,
    returnSchemes: row.return_schemes,
    kycMaxAgeSeconds: row.kyc_max_age_seconds,
    sanctionsMaxAgeSeconds: row.sanctions_max_age_seconds,
  };
}
