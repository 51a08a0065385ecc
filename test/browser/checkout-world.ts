// Where the checkout is tried: the page as it is built, the real API over a real Postgres, a network that can be lost, and
// a partner that hands its payers over. Only orchestration is the simulator of the other tests of the API; the whole
// system is in test/journeys.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { CheckoutFiles } from '../../api/checkout/files';
import { bundleCheckout, writeCheckout } from '../../src/dev/package/checkout-bundle';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { readCheckoutFiles } from '../../src/main/api/checkout-files';
import { checkoutUrl } from '../../src/sdk';
import { createMemoryKeySets, startApp, type TestApp } from '../support/app';
import { anIntent, openTestBed, type TestBed } from '../support/builders';
import {
  aPartner,
  claimsFor,
  mintToken,
  type Claims,
  type TestPartner,
} from '../support/payments/partner';
import { bracket } from '../support/brackets';
import { openBrowser, type BrowserWish } from './chromium';
import { openNetwork, type Network } from './network';
import { openVisit, type Visit } from './visit';

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
      network.arrivals.length = 0;
      bed.clock.turnTo(now);
    },
    async close() {
      await network.close();
      await app.close();
      await bed.close();
    },
  };
}

/** The world of a file's tests, and a browser that visits it. */
export function withBrowser(wish: BrowserWish = {}) {
  const world = bracket(openCheckoutWorld, (opened) => opened.close());
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(wish);
  });
  afterAll(() => browser.close());
  const visit = (address: string, options?: BrowserContextOptions) =>
    openVisit(browser, address, options);
  return { world, visit };
}

/** The same; each test begins with a world as it was at first and an open intent, and its visits are closed after it. */
export function withVisits(wish?: BrowserWish) {
  const { world, visit } = withBrowser(wish);
  const opened: Visit[] = [];
  const visits = {
    world,
    intent: {} as PaymentIntent,
    open: async (address: string, options?: BrowserContextOptions): Promise<Visit> => {
      const made = await visit(address, options);
      opened.push(made);
      return made;
    },
    /** Opens the link to the intent. */
    openLink: (link?: LinkWish) => visits.open(world.link(visits.intent, link)),
    /** Where the app is called back. */
    backIn: (status: string) =>
      `${RETURN_SCHEME}://payment-result?intent_id=${visits.intent.intentId}&status=${status}`,
  };
  beforeEach(async () => {
    world.reset();
    visits.intent = await anIntent(world.bed, world.partner);
  });
  afterEach(() => Promise.all(opened.splice(0).map((made) => made.close())));
  return visits;
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
