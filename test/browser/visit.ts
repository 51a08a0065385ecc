// One payer with a browser window: what is on the page, what the page did behind the payer's back, and where it sent the
// device in the end.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Visit {
  readonly page: Page;
  /** Addresses outside of the web that the page has handed the device over to. */
  readonly handedOver: readonly string[];
  /**
   * What must never happen: violations of the content security policy, errors of scripts, and requests to anybody but the
   * checkout.
   */
  readonly offences: readonly string[];
  /** In the order in which the browser did it: `requests URL`, `shows ADDRESS`. */
  readonly deeds: readonly string[];
  /** Everything that the page has shown so far, however briefly. */
  shown(): Promise<string>;
  /** Comes back with the address of the app. */
  untilHandedOver(): Promise<string>;
  close(): Promise<void>;
}

/** Runs in the page before anything of it does. */
const REMEMBER_TEXTS = `
  window.shownTexts = [];
  new MutationObserver(() => window.shownTexts.push(document.body?.innerText ?? ''))
    .observe(document, { childList: true, characterData: true, subtree: true });
`;

/** @param inPage runs in the page before anything of it does */
export async function openVisit(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
  inPage = '',
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    locale: 'en-GB',
    ...options,
  });
  const page = await context.newPage();
  const deeds: string[] = [];
  const offences: string[] = [];
  const handedOver: string[] = [];
  const toTheApp = watchHandOver(page, handedOver);
  await watchDeeds(page, deeds);
  watchOffences(page, new URL(address).origin, offences);
  await page.addInitScript(REMEMBER_TEXTS + inPage);
  await page.goto(address);
  return {
    page,
    handedOver,
    offences,
    deeds,
    shown: () => page.evaluate<string>('window.shownTexts.join("\\n")'),
    untilHandedOver: () => toTheApp,
    close: () => context.close(),
  };
}

/** Nothing on this machine opens the address, so the page stays where it is. */
function watchHandOver(page: Page, handedOver: string[]): Promise<string> {
  return new Promise((resolve) => {
    page.on('request', (request) => {
      const url = request.url();
      if (/^https?:/.test(url)) return;
      handedOver.push(url);
      resolve(url);
    });
  });
}

/** Both kinds of events come from the page's own process, so their order is that of what happened. */
async function watchDeeds(page: Page, deeds: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  session.on('Network.requestWillBeSent', ({ request }) => {
    deeds.push(`requests ${request.url}${request.urlFragment ?? ''}`);
  });
  session.on('Page.navigatedWithinDocument', ({ url }) => {
    deeds.push(`shows ${url}`);
  });
  await session.send('Network.enable');
  await session.send('Page.enable');
}

function watchOffences(page: Page, origin: string, offences: string[]): void {
  page.on('pageerror', (error) => offences.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/content security policy|permissions policy/i.test(message.text())) {
      offences.push(`policy: ${message.text()}`);
    }
  });
  page.context().on('request', (request) => {
    const url = request.url();
    const isOurs = url.startsWith(`${origin}/`) || !/^(https?|wss?|data|blob):/.test(url);
    if (!isOurs) offences.push(`request: ${url}`);
  });
}
