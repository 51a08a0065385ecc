// A test bed behind a proxy that counts, with the write-ahead log read beside it: what a request costs the database.
import type { Reply } from './app';
import { openTestBed, type TestBed } from './builders';
import { openCommitCounter } from './commit-counter';
import { startCountingProxy, type CountingProxy, type WireCounts } from './counting-proxy';

export interface Costs extends WireCounts {
  readonly commits: number;
}

export interface CostedBed {
  readonly bed: TestBed;
  countDuring(work: () => Promise<unknown>): Promise<Costs>;
  /** The answer's status, and `statements/round trips/commits`. */
  costOf(request: () => Promise<Reply>): Promise<string>;
  /** The bed with all that counts on it. */
  close(): Promise<void>;
}

export async function openCostedBed(): Promise<CostedBed> {
  const proxies: CountingProxy[] = [];
  const bed = await openTestBed({
    through: async (url) => {
      const proxy = await startCountingProxy(url);
      proxies.push(proxy);
      return proxy.url;
    },
  });
  const [proxy] = proxies;
  if (proxy === undefined) throw new Error('a test bed goes through the proxy that it is given');
  const commits = await openCommitCounter(bed.url);
  const countDuring = async (work: () => Promise<unknown>) => {
    let wire = { statements: 0, roundTrips: 0 };
    const committed = await commits.countDuring(async () => {
      wire = await proxy.countDuring(work);
    });
    return { ...wire, commits: committed };
  };
  return {
    bed,
    countDuring,
    async costOf(request) {
      let status = 0;
      const costs = await countDuring(async () => {
        ({ status } = await request());
      });
      return `${status}: ${costs.statements}/${costs.roundTrips}/${costs.commits}`;
    },
    async close() {
      await commits.close();
      await bed.close();
      await proxy.close();
    },
  };
}
