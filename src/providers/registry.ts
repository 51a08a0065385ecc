// The adapters of payout providers, a folder and a line each. They translate, and decide nothing
// about money.
import { createHttpProvider } from './http/provider';

export const PROVIDERS = { http: createHttpProvider } as const;
