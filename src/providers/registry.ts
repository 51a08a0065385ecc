// The adapters of payout providers, a folder and a line each. They translate, and decide nothing
// about money.
import type { Outbound } from '../http/outbound';
import type { PayoutAdapter } from '../ports/payout-provider';
import { createHttpProvider } from './http/provider';
import type { AdapterName } from '../domain/payouts/adapters';
import { createMusePayProvider } from './musepay/provider';
import { createTransFiProvider } from './transfi/provider';

interface AccountAddress {
  readonly baseUrl: string;
  /** A bearer token, or the JSON object of credentials that the adapter needs. */
  readonly token: string;
}

type CreateAdapter = (outbound: Outbound, account: AccountAddress) => PayoutAdapter;

export const PROVIDERS: Readonly<Record<AdapterName, CreateAdapter>> = {
  http: createHttpProvider,
  musepay: (outbound, account) => createMusePayProvider(outbound, account),
  transfi: createTransFiProvider,
};
