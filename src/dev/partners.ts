// The two sandbox partners: their RSA keys are ours, their credentials come from payctl, once. Both are kept in
// `.local/partners.json`, from which the sandbox process publishes the public keys.
import { generateKeyPair, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { createDatabase } from '../postgres/database';
import { runTask, type TaskContext } from './own-process';
import { readJsonFile, writePrivateJson } from './private-files';
import type { SandboxPartner } from './sandbox-file';
import { StartError } from './start-error';

const SLUGS = ['siam-travel', 'saigon-rides'];
const MODULUS_BITS = 2_048;

const credentialsSchema = z.object({
  partner_id: z.string(),
  key_id: z.string(),
  signing_secret: z.string(),
  issuer: z.string(),
  jwks_url: z.string(),
  webhook_secret: z.string(),
});

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

/** Makes the keys at the first start, before the sandbox process runs. */
export async function readOrMakePartners(directory: string): Promise<readonly PartnerEntry[]> {
  const parsed = z.array(entrySchema).safeParse(readJsonFile(partnersFile(directory)));
  if (parsed.success) return parsed.data;
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

/** Partners that the database does not know yet are registered; the others are as they were. */
export async function onboardPartners(onboarding: Onboarding): Promise<readonly SandboxPartner[]> {
  const known = await knownPartners(onboarding);
  const onboarded = await Promise.all(
    onboarding.partners.map((partner) => onboard(partner, known, onboarding)),
  );
  writePrivateJson(partnersFile(onboarding.directory), onboarded);
  return onboarded.map((partner) => asMember(partner, onboarding.partnerBase));
}

async function knownPartners({ databaseUrl }: Onboarding): Promise<ReadonlySet<string>> {
  const database = createDatabase({
    url: databaseUrl,
    poolSize: 1,
    onLostConnection: () => undefined,
  });
  try {
    const { rows } = await database.query<{ partner_id: string }>({
      text: `select partner_id from partners where partner_id = any($1)`,
      values: [SLUGS],
    });
    return new Set(rows.map(({ partner_id }) => partner_id));
  } finally {
    await database.close();
  }
}

async function onboard(
  partner: PartnerEntry,
  known: ReadonlySet<string>,
  onboarding: Onboarding,
): Promise<PartnerEntry> {
  const { slug, credentials } = partner;
  const jwksUrl = `${onboarding.partnerBase}/${slug}/.well-known/jwks.json`;
  if (!known.has(slug)) return { ...partner, credentials: await create(slug, jwksUrl, onboarding) };
  if (credentials?.jwks_url === jwksUrl) return partner;
  throw new StartError(
    credentials === undefined
      ? `The database knows the partner ${slug}, but its secrets are gone from .local/partners.json: delete .local to begin afresh.`
      : `The sandbox partners are registered at ${credentials.jwks_url}: start with PARTNER_PORT=${new URL(credentials.jwks_url).port}, or delete .local to begin afresh.`,
  );
}

async function create(slug: string, jwksUrl: string, onboarding: Onboarding) {
  const args = [
    ...['partners', 'create', '--name', slug, '--jwks-url', jwksUrl],
    ...['--allow', '127.0.0.1/32', '--allow', '::1/128'],
    ...['--webhook-url', `${onboarding.partnerBase}/${slug}/webhooks`, '--return-scheme', slug],
    ...['--env', 'sandbox', '--json'],
  ];
  const task = { name: `onboard-${slug}`, script: 'src/ops/payctl.ts', args };
  return credentialsSchema.parse(JSON.parse(await runTask(task, onboarding)));
}

function asMember({ slug, kid, private_key_pem, credentials }: PartnerEntry, partnerBase: string) {
  if (!credentials) throw new Error(`${slug} has no credentials`);
  return {
    ...credentials,
    session_kid: kid,
    session_private_key_pem: private_key_pem,
    webhook_inbox_url: `${partnerBase}/${slug}/inbox`,
  };
}
