// One payer with a browser page. It records the page's texts, its requests and addresses, policy
// violations, and the address of the app that the page opens.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Visit {
  readonly page: Page;
  /** Addresses of apps that the page has opened. */
  readonly handedOver: readonly string[];
  /**
   * Violations of the content security policy, script errors, and requests to any other origin.
   * None may happen.
   */
  readonly violations: readonly string[];
  /** Requests and address changes in the browser's order: `requests URL`, `shows ADDRESS`. */
  readonly browserEvents: readonly string[];
  /** What the page has written to the browser's console. */
  readonly console: readonly string[];
  /** All texts that the page has shown so far, however briefly. */
  shown(): Promise<string>;
  /** Resolves with the address of the app that the page opens. */
  untilHandedOver(): Promise<string>;
  close(): Promise<void>;
}

/** Runs in the page before its own scripts. */
const RECORD_TEXTS = `
  window.shownTexts = [];
  new MutationObserver(() => window.shownTexts.push(document.body?.innerText ?? ''))
    .observe(document, { childList: true, characterData: true, subtree: true });
`;

/** @param inPage a script that runs in the page before the page's own scripts */
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
  const browserEvents: string[] = [];
  const violations: string[] = [];
  const handedOver: string[] = [];
  const written: string[] = [];
  page.on('console', (message) => written.push(message.text()));
  const toTheApp = watchHandOver(page, handedOver);
  await watchBrowserEvents(page, browserEvents);
  watchViolations(page, new URL(address).origin, violations);
  await page.addInitScript(RECORD_TEXTS + inPage);
  await page.goto(address);
  return {
    page,
    handedOver,
    violations,
    browserEvents,
    console: written,
    shown: () => page.evaluate<string>('window.shownTexts.join("\\n")'),
    untilHandedOver: () => toTheApp,
    close: () => context.close(),
  };
}

/** No program on this machine opens the app's address, so the page stays open. */
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

/**
 * Both kinds of events come from the page's own process, so they arrive in the order in which they
 * happened.
 */
async function watchBrowserEvents(page: Page, browserEvents: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  session.on('Network.requestWillBeSent', ({ request }) => {
    browserEvents.push(`requests ${request.url}${request.urlFragment ?? ''}`);
  });
  session.on('Page.navigatedWithinDocument', ({ url }) => {
    browserEvents.push(`shows ${url}`);
  });
  await session.send('Network.enable');
  await session.send('Page.enable');
}

function watchViolations(page: Page, origin: string, violations: string[]): void {
  page.on('pageerror', (error) => violations.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/content security policy|permissions policy/i.test(message.text())) {
      violations.push(`policy: ${message.text()}`);
    }
  });
  page.context().on('request', (request) => {
    const url = request.url();
    const isOurs = url.startsWith(`${origin}/`) || !/^(https?|wss?|data|blob):/.test(url);
    if (!isOurs) violations.push(`request: ${url}`);
  });
}
