// What `accounts fund`, `keys revoke`, `partners set` and `webhooks rotate` do only with --yes: a
// mistake in them costs money, or locks a partner out.
import { Rejection } from './rejection';
import { option } from './verb';

export interface Consent {
  readonly yes?: boolean | undefined;
}

export const yesFor = (what: string) => option('--yes', `confirm ${what}`);

/**
 * Called before anything is committed.
 * @param consequence a sentence
 * @throws Rejection without --yes
 */
export function requireConsent({ yes = false }: Consent, consequence: string): void {
  if (!yes) throw new Rejection(`${consequence} Nothing was changed: if it is right, add --yes.`);
}
