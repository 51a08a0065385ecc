// The sandbox partners, read from the file that `npm start` writes. The file is read for each
// request, so that partners can be added while the sandbox runs.
import { readFile } from 'node:fs/promises';
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

/**
 * @param path a JSON array of `{ slug, kid, public_key_pem }`; a missing file holds no partner yet
 */
export function createPartnerRegistry(path: string, log: Log) {
  let partners: readonly SandboxPartner[] = [];
  return {
    /** The keys of that partner, more than one during a rotation; none for an unknown slug. */
    async keysOf(slug: string): Promise<readonly SandboxPartner[]> {
      const read = parsePartners(await readIfThere(path));
      // The file may be half written: the partners read before stay until it is complete.
      if (read === undefined) log.warn({ path }, 'the sandbox partners file is not readable');
      else partners = read;
      return partners.filter((partner) => partner.slug === slug);
    },
  };
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (membersOf(error)['code'] === 'ENOENT') return '[]';
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
