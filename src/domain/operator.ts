// An operator's name and reason for the audit trail. Both are typed, into `payctl` or into
// Temporal's CLI, so every entry point checks them.

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,63}$/u;
/** Names of actors in the audit trail that are not operators. An operator may not use them. */
export const RESERVED_ACTORS = ['payer', 'partner', 'system', 'migrate'];
export const REASON_MAX_CHARACTERS = 500;

export function isOperatorName(name: string): boolean {
  return NAME.test(name) && !RESERVED_ACTORS.includes(name.trim().toLowerCase());
}

/** One non-empty line that fits into a history. */
export function isReason(text: string): boolean {
  if (text.trim() === '' || /\p{C}/u.test(text)) return false;
  return [...text].length <= REASON_MAX_CHARACTERS;
}
