// As much of an account as a payer needs to recognise it, and no more: for whoever looks over a shoulder.

const SHOWN_CHARACTERS = 4;

export function endOf(account: string): string {
  return account.slice(-SHOWN_CHARACTERS);
}
