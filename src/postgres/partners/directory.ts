// Port `PartnerDirectory` over Postgres. Partners are onboarded by hand, so the directory is small.
import type {
  DirectorySnapshot,
  PartnerDirectory,
  PartnerLogos,
  SigningKey,
  TokenIssuer,
} from '../../ports/partners';
import type { SecretSeal } from '../../signing/sealed-secret';
import { readOne, readRows, type Queryable } from '../database';

interface KeyRow extends Omit<SigningKey, 'openSecret'> {
  readonly secret: Buffer;
}

interface PartnerDirectoryOptions {
  readonly database: Queryable;
  readonly environment: string;
  readonly seal: SecretSeal;
}

export function createPartnerDirectory(options: PartnerDirectoryOptions): PartnerDirectory {
  const { database, environment, seal } = options;
  const readVersion = async () => {
    const { version } = await readOne<{ readonly version: number }>(database, {
      name: 'read-directory-version',
      text: `select version from directory_version`,
    });
    return version;
  };
  return {
    readVersion,
    async read() {
      // The version is read first: a change between the statements then leads to one more read, and
      // is never missed.
      const version = await readVersion();
      const keys = await readRows<KeyRow>(database, { ...KEYS, values: [environment] });
      const issuers = await readTokenIssuers(database, environment);
      return {
        version,
        keys: new Map(
          keys.map(({ secret, ...key }) => [
            key.keyId,
            { ...key, openSecret: () => seal.open(secret, key.keyId) },
          ]),
        ),
        issuers,
      };
    },
  };
}

const KEYS = {
  name: 'read-signing-keys',
  text: `select k.key_id as "keyId", k.partner_id as "partnerId", k.secret_sealed as secret,
                array(select a.network::text from partner_addresses a
                       where a.partner_id = k.partner_id) as "allowedNetworks",
                k.revoked_at is not null as "isRevoked", k.revokes_at as "revokesAt",
                p.intents_per_second is not null as "hasSecondLimit"
           from signing_keys k join partners p on p.partner_id = k.partner_id where k.environment = $1`,
};

const ISSUERS = {
  name: 'read-token-issuers',
  text: `select t.issuer, p.partner_id as "partnerId", p.jwks_url as "jwksUrl",
                p.return_schemes as "returnSchemes", p.kyc_max_age_seconds as "kycMaxAgeSeconds",
                p.sanctions_max_age_seconds as "sanctionsMaxAgeSeconds",
                p.usd_cents_per_day is not null as "hasDayLimit",
                p.display_name as "displayName", p.logo_id as "logoId"
           from token_issuers t join partners p on p.partner_id = t.partner_id
          where t.environment = $1`,
};

/** By the exact `iss`. No secret is selected. */
export async function readTokenIssuers(
  database: Queryable,
  environment: string,
): Promise<DirectorySnapshot['issuers']> {
  const rows = await readRows<TokenIssuer & { readonly issuer: string }>(database, {
    ...ISSUERS,
    values: [environment],
  });
  return new Map(rows.map(({ issuer, ...partner }) => [issuer, partner]));
}

/** The cached directory has no pictures: it is read as a whole after every change. */
export function createPartnerLogos(database: Queryable, environment: string): PartnerLogos {
  return {
    async read(logoId) {
      const [row] = await readRows<{ readonly png: Buffer }>(database, {
        name: 'read-logo',
        text: `select logo_png as png from partners where environment = $1 and logo_id = $2`,
        values: [environment, logoId],
      });
      return row?.png;
    },
  };
}
