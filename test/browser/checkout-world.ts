// The setup of the checkout tests: the built page, the real API over a real Postgres, a network
// that can fail, and a partner that sends its payers to the page. Only orchestration is simulated,
// as in the other API tests; test/journeys runs the whole system.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { CheckoutFiles } from '../../api/checkout/files';
import { bundleCheckout, writeCheckout } from '../../src/dev/package/checkout-bundle';
import type { PaymentIntent } from '../../src/domain/intents/payment-intent';
import { readCheckoutFiles } from '../../src/main/api-files';
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
import { openBrowser, type BrowserOptions } from './chromium';
import { openNetwork, type Network } from './network';
import { openVisit, type Visit } from './visit';

export const RETURN_SCHEME = 'siam-travel';

export interface CheckoutWorld {
  readonly bed: TestBed;
  readonly app: TestApp;
  readonly network: Network;
  readonly partner: TestPartner;
  /**
   * The frozen time of the service's clocks; it differs from the browser's time by less than a
   * minute.
   */
  readonly now: Date;
  /** The address that the app opens. */
  link(intent: PaymentIntent, options?: LinkOptions): string;
  /** Restores the initial state, except for the content of the database. */
  reset(): void;
  close(): Promise<void>;
}

export interface LinkOptions {
  readonly claims?: Claims;
  readonly token?: string;
  readonly returnScheme?: string;
}

export async function openCheckoutWorld(): Promise<CheckoutWorld> {
  const bed = await openTestBed();
  const now = new Date();
  await bed.setNow(now);
  const partner = await aPartner(bed, {
    returnSchemes: [RETURN_SCHEME],
    displayName: 'Siam Travel',
    logo: join(__dirname, 'logo.png'),
  });
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

/** The checkout world of a test file, and a browser that opens its pages. */
export function withBrowser(browserOptions: BrowserOptions = {}) {
  const world = bracket(openCheckoutWorld, (opened) => opened.close());
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(browserOptions);
  });
  afterAll(() => browser.close());
  const visit = (address: string, options?: BrowserContextOptions) =>
    openVisit(browser, address, options);
  return { world, visit, browser: () => browser };
}

/**
 * As {@link withBrowser}; each test starts with a reset world and an open intent, and its visits
 * are closed after it.
 */
export function withVisits(browserOptions?: BrowserOptions) {
  const { world, visit } = withBrowser(browserOptions);
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
    openLink: (link?: LinkOptions) => visits.open(world.link(visits.intent, link)),
    /** The address with which the page opens the app again. */
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
  const at = now.toISOString();
  return mintToken(partner, intent, {
    ...claimsFor(partner, intent, now),
    'service:sanctions_attestation': { clean: true, screened_at: at },
    'service:kyc_attestation': { verified: true, method: 'document', verified_at: at },
    ...claims,
  });
}

/** The checkout files as a process reads them: built, written to a folder, read from there. */
async function builtCheckout(): Promise<CheckoutFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'checkout-'));
  try {
    writeCheckout(folder, await bundleCheckout());
    return readCheckoutFiles(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
