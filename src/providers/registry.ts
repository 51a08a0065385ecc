// The adapters of payout providers, a folder and a line each. They translate, and decide nothing
// about money.
import type { Outbound } from '../http/outbound';
import type { PayoutAdapter, PayoutProvider } from '../ports/payout-provider';
import type { AccountAddress } from './exchange';
import { createHttpProvider } from './http/provider';
import type { AdapterName } from '../domain/payouts/adapters';
import { createMusePayProvider } from './musepay/provider';
import { createTransFiProvider } from './transfi/provider';

type CreateAdapter = (outbound: Outbound, account: AccountAddress) => PayoutAdapter;

export const PROVIDERS: Readonly<Record<AdapterName, CreateAdapter>> = {
  http: createHttpProvider,
  musepay: (outbound, account) => createMusePayProvider(outbound, account),
  transfi: createTransFiProvider,
};

interface Account extends Pick<AccountAddress, 'token'> {
  readonly account: string;
  readonly adapter: AdapterName;
  readonly url: string;
}

/** Another adapter under an account's name is another account. */
export function openAccount(
  outbound: Outbound,
  { account, adapter, url: baseUrl, token }: Account,
): PayoutProvider {
  const made = PROVIDERS[adapter](outbound, { baseUrl, token });
  return { ...made, account: `${adapter}/${account}` };
}
