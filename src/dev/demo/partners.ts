// The two sandbox partners. Their RSA keys are made here, their credentials come from payctl, once.
// Both are stored in `.local/partners.json`, from which the sandbox process publishes the public
// keys.
import { generateKeyPair, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { runTask, type TaskContext } from '../stack/own-process';
import { queryOnce } from '../stack/postgres';
import { readJsonFile, writePrivateJson } from '../private-files';
import { credentialsSchema, type SandboxPartner } from './sandbox-file';
import { StartError } from '../stack/start-error';

const NAMES: Readonly<Record<string, string>> = {
  'siam-travel': 'Siam Travel',
  'saigon-rides': 'Saigon Rides',
};
const SLUGS = Object.keys(NAMES);
const MODULUS_BITS = 2_048;

const entrySchema = z.object({
  slug: z.string(),
  kid: z.string(),
  public_key_pem: z.string(),
  private_key_pem: z.string(),
  credentials: credentialsSchema.optional(),
});

export type PartnerEntry = z.infer<typeof entrySchema>;

export function partnersFile(directory: string): string {
  return join(directory, 'partners.json');
}

/**
 * Reads the partners' keys, or makes and stores them at the first start, before the sandbox process
 * runs.
 */
export async function readOrMakePartners(directory: string): Promise<readonly PartnerEntry[]> {
  const known = z.array(entrySchema).safeParse(readJsonFile(partnersFile(directory)));
  if (known.success) return known.data;
  const partners = await Promise.all(SLUGS.map(makePartner));
  writePrivateJson(partnersFile(directory), partners);
  return partners;
}

async function makePartner(slug: string): Promise<PartnerEntry> {
  const pair = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  return {
    slug,
    kid: `${slug}-${randomBytes(4).toString('hex')}`,
    public_key_pem: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    private_key_pem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

interface Onboarding extends TaskContext {
  readonly partners: readonly PartnerEntry[];
  /** Base URL of the partners' server. */
  readonly partnerBase: string;
  readonly databaseUrl: string;
}

/**
 * Registers the partners that the database does not know yet and stores their credentials; changes
 * no other partner.
 */
export async function onboardPartners(onboarding: Onboarding): Promise<readonly SandboxPartner[]> {
  const { partners, partnerBase, directory } = onboarding;
  const rows = await queryOnce(onboarding.databaseUrl, {
    text: `select partner_id from partners where partner_id = any($1)`,
    values: [SLUGS],
  });
  const known = new Set(rows.map((row) => row['partner_id']));
  const onboarded = await Promise.all(
    partners.map(async (partner) => {
      const { slug, credentials } = partner;
      const base = `${partnerBase}/${slug}`;
      if (!known.has(slug))
        return { ...partner, credentials: await register(slug, base, onboarding) };
      const registered = { slug, credentials };
      return { ...partner, credentials: requireRegisteredAt(base, registered, directory) };
    }),
  );
  writePrivateJson(partnersFile(directory), onboarded);
  return onboarded.map(({ slug, kid, private_key_pem, credentials }) => ({
    ...credentials,
    session_kid: kid,
    session_private_key_pem: private_key_pem,
    webhook_inbox_url: `${partnerBase}/${slug}/inbox`,
  }));
}

function keySetAt(base: string): string {
  return `${base}/.well-known/jwks.json`;
}

async function register(slug: string, base: string, context: TaskContext) {
  const args = [
    ...['partners', 'create', '--name', slug, '--jwks-url', keySetAt(base)],
    ...['--allow', '127.0.0.1/32', '--allow', '::1/128'],
    ...['--webhook-url', `${base}/webhooks`, '--return-scheme', slug],
    ...['--display-name', NAMES[slug] ?? slug, '--env', 'sandbox', '--json'],
    ...['--as', 'npm start'],
  ];
  const task = { name: `onboard-${slug}`, script: 'src/ops/payctl.ts', args };
  return credentialsSchema.parse(JSON.parse(await runTask(task, context)));
}

/**
 * @throws StartError when the secrets or the address of a registered partner do not match this
 * start
 */
function requireRegisteredAt(
  base: string,
  { slug, credentials: known }: Pick<PartnerEntry, 'slug' | 'credentials'>,
  directory: string,
) {
  if (known?.jwks_url === keySetAt(base)) return known;
  throw new StartError(
    known === undefined
      ? `The database knows the partner ${slug}, but its secrets are missing in ${partnersFile(directory)}: delete ${directory} to start afresh.`
      : `The sandbox partners are registered at ${known.jwks_url}: start with PARTNER_PORT=${new URL(known.jwks_url).port}, or delete ${directory} to start afresh.`,
  );
}
