// Bench `checkout`: Lighthouse's score for the performance of the page's first load, on a phone
// with a slow network, as Lighthouse simulates it, and on a desktop. It is no test, because it
// depends on the speed of this machine.
import { checkoutUrl } from '../../../src/sdk';
import { openBrowser } from '../../browser/chromium';
import { runLighthouse } from '../../browser/lighthouse';
import { openPayments } from '../load/payments';
import { freshToken } from '../load/requests';
import type { Bench, Findings } from '../figures/report';
import { median } from '../figures/statistics';
import type { Stand } from '../stand';

const DEVICES = ['mobile', 'desktop'] as const;
const LOADS = 5;
const BEST = 100;
const TARGET = 0.9;

export const checkout: Bench = {
  name: 'checkout',
  settings: { loads: LOADS, reference: 'the best score', interval: 'worst and best load' },
  async run(stand) {
    const url = await openLink(stand);
    const browser = await openBrowser({ isOpenToPrograms: true });
    stand.world.atTheEnd(() => browser.close());
    const findings: Findings[] = [];
    for (const mode of DEVICES) {
      const loads: number[] = [];
      for (let load = 0; load < (stand.isQuick ? 1 : LOADS); load += 1) {
        const audited = { mode, url, categories: ['performance'] } as const;
        const { scores } = await runLighthouse(browser, audited);
        loads.push(scores['performance'] ?? 0);
        stand.printProgress(`checkout on ${mode}: ${loads.join(', ')}`);
      }
      findings.push({ results: [resultOf(mode, loads)] });
    }
    return findings;
  },
};

/** The token is not used up by loads. */
async function openLink({ world }: Stand): Promise<string> {
  const partner = await world.onboard({ name: 'siam-travel', displayName: 'Siam Travel' });
  const payments = await openPayments(world, world.databaseUrl);
  const [begun] = await payments.begin([partner], 1);
  if (begun === undefined) throw new Error('no intent to show');
  const { intentId } = begun.intent;
  return checkoutUrl({
    checkoutUrl: `http://127.0.0.1:${String(await world.startApi())}`,
    intentId,
    sessionToken: freshToken(partner, begun.intent),
  });
}

function resultOf(mode: string, loads: readonly number[]) {
  const [ours, low, high] = [median(loads), Math.min(...loads), Math.max(...loads)];
  return {
    name: `checkout on ${mode}, Lighthouse performance of 100`,
    ...{ ours, reference: BEST, ratio: ours / BEST, low: low / BEST, high: high / BEST },
    ...{ target: TARGET, pass: low / BEST >= TARGET, rounds: loads.length },
  };
}
