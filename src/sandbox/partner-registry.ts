// The sandbox partners, read from the file that `npm start` writes. The file is read again when it
// changes, so that partners can be added while the sandbox runs.
import { readFile, stat } from 'node:fs/promises';
import { parsePartnerId } from '../domain/ids';
import type { Log } from '../ports/observe';
import { membersOf, parseJson } from './json-members';

export interface SandboxPartner {
  /** Names the partner in paths and file names. */
  readonly slug: string;
  readonly kid: string;
  /** SPKI PEM. */
  readonly publicKeyPem: string;
}

interface PartnerRegistry {
  /** The keys of that partner, more than one during a rotation; none for an unknown slug. */
  keysOf(slug: string): Promise<readonly SandboxPartner[]>;
}

/**
 * @param path a JSON array of `{ slug, kid, public_key_pem }`; a missing file holds no partner yet
 */
export function createPartnerRegistry(path: string, log: Log): PartnerRegistry {
  let version = '';
  let partners: readonly SandboxPartner[] = [];
  const reload = async () => {
    version = await versionOf(path);
    const read = parsePartners(await ifThere('[]', () => readFile(path, 'utf8')));
    // The file may be half written: the partners read before stay until it is complete.
    if (read === undefined) log.warn({ path }, 'the sandbox partners file is not readable');
    else partners = read;
  };
  const known = (slug: string) => partners.filter((partner) => partner.slug === slug);
  return {
    async keysOf(slug) {
      const isStale = version === '' || version !== (await versionOf(path));
      if (isStale || known(slug).length === 0) await reload();
      return known(slug);
    },
  };
}

/** A text that changes whenever the file is written or replaced; empty when there is no file. */
function versionOf(path: string): Promise<string> {
  return ifThere('', async () => {
    const { ino, mtimeMs, size } = await stat(path);
    return [ino, mtimeMs, size].join(':');
  });
}

async function ifThere(otherwise: string, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (membersOf(error)['code'] === 'ENOENT') return otherwise;
    throw error;
  }
}

function parsePartners(text: string): readonly SandboxPartner[] | undefined {
  const list = parseJson(text);
  if (!Array.isArray(list)) return undefined;
  const partners = list.map(parsePartner);
  return partners.every((partner) => partner !== undefined) ? partners : undefined;
}

function parsePartner(value: unknown): SandboxPartner | undefined {
  const { slug, kid, public_key_pem: publicKeyPem } = membersOf(value);
  if (typeof slug !== 'string' || parsePartnerId(slug) === undefined) return undefined;
  if (typeof kid !== 'string' || typeof publicKeyPem !== 'string') return undefined;
  return { slug, kid, publicKeyPem };
}
