// Describes the payee of a code to the payer. It shows only the end of an account, enough to
// recognise it, since other people may see the screen.
import type { QrPayee } from '../../../../src/corridors/scheme';
import type { Texts } from './en';

const SHOWN_CHARACTERS = 4;

export function describePayee(payee: QrPayee, { review }: Texts): string {
  const { payees, endingIn, withReference } = review;
  const ending = (name: string, account: string) =>
    endingIn(name, account.slice(-SHOWN_CHARACTERS));
  switch (payee.kind) {
    case 'proxy':
      return ending(payees[payee.proxyType], payee.proxyId);
    case 'biller':
      return withReference(ending(payees.biller, payee.billerId), payee.reference1);
    case 'bank':
      // The number of a card is never shown.
      if (payee.accountType === 'card') return payees.card;
      return ending(payees.bank_account, payee.accountId);
  }
}
