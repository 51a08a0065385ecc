// Where the checkout is tried: the page as it is built, the real API over a real Postgres, a network that can be lost, and
// a partner that hands its payers over. Only orchestration is the simulator of the other tests of the API; the whole
// system is in test/journeys.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckoutFiles } from '../../api/checkout/files';
import { bundleCheckout, writeCheckout } from '../../src/dev/checkout-bundle';
import type { PaymentIntent } from '../../src/domain/payment-intent';
import { readCheckoutFiles } from '../../src/main/checkout-files';
import { checkoutUrl } from '../../src/sdk';
import { createMemoryKeySets, startApp, type TestApp } from '../support/app';
import { openTestBed, type TestBed } from '../support/builders';
import { aPartner, claimsFor, mintToken, type Claims, type TestPartner } from '../support/partner';
import { openNetwork, type Network } from './network';

export const RETURN_SCHEME = 'siam-travel';

export interface CheckoutWorld {
  readonly bed: TestBed;
  readonly app: TestApp;
  readonly network: Network;
  readonly partner: TestPartner;
  /** The instant at which the service's clocks stand: that of the browser, within a test's minute. */
  readonly now: Date;
  /** The address that the app opens. */
  link(intent: PaymentIntent, wish?: LinkWish): string;
  /** As it was at first, but for what the database holds. */
  reset(): void;
  close(): Promise<void>;
}

export interface LinkWish {
  readonly claims?: Claims;
  readonly token?: string;
  readonly returnScheme?: string;
}

export async function openCheckoutWorld(): Promise<CheckoutWorld> {
  const bed = await openTestBed();
  const now = new Date();
  await bed.setNow(now);
  const partner = await aPartner(bed, { returnSchemes: [RETURN_SCHEME] });
  const app = await startApp(bed, {
    keySets: createMemoryKeySets([partner]),
    checkout: await builtCheckout(),
  });
  const network = await openNetwork(app.url);
  return {
    bed,
    app,
    network,
    partner,
    now,
    link(intent, { claims = {}, token, returnScheme = RETURN_SCHEME } = {}) {
      return checkoutUrl({
        checkoutUrl: network.url,
        intentId: intent.intentId,
        sessionToken: token ?? mintFor(partner, intent, now, claims),
        returnScheme,
      });
    },
    reset() {
      app.mode = 'settle';
      network.mend();
      bed.clock.turnTo(now);
    },
    async close() {
      await network.close();
      await app.close();
      await bed.close();
    },
  };
}

export function mintFor(
  partner: TestPartner,
  intent: PaymentIntent,
  now: Date,
  claims: Claims = {},
): string {
  const today = claimsFor(partner, intent, now);
  const at = now.toISOString();
  return mintToken(partner, intent, {
    ...today,
    'service:sanctions_attestation': { clean: true, screened_at: at },
    'service:kyc_attestation': { verified: true, method: 'document', verified_at: at },
    ...claims,
  });
}

/** As the processes get it: built, written to a folder, read from there. */
async function builtCheckout(): Promise<CheckoutFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  try {
    writeCheckout(folder, await bundleCheckout());
    return readCheckoutFiles(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
