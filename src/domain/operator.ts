// An operator in the audit trail: a name that passes for nobody else's, and a reason. Whatever says it was typed by
// people, into `payctl` or straight into Temporal, so both are checked wherever they arrive.

const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,63}$/u;
/** What the audit trail calls those who are no operators. */
export const RESERVED_ACTORS = ['payer', 'partner', 'system', 'migrate'];
export const REASON_MAX_CHARACTERS = 500;

export function isOperatorName(name: string): boolean {
  return NAME.test(name) && !RESERVED_ACTORS.includes(name.trim().toLowerCase());
}

/** One line of text that says something and fits into a history. */
export function isReason(text: string): boolean {
  if (text.trim() === '' || /\p{C}/u.test(text)) return false;
  return [...text].length <= REASON_MAX_CHARACTERS;
}
