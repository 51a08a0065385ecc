// The API over a database behind a proxy that counts, with the write-ahead log read beside it: what a request costs Postgres.
import type { Reply } from '../app';
import { withApi } from '../brackets';
import { openCommitCounter } from './commit-counter';
import { startCountingProxy, type CountingProxy, type WireCounts } from './counting-proxy';
import { mintToken } from '../payments/partner';

interface Costs extends WireCounts {
  readonly commits: number;
}

/** {@link withApi}, with the partners and both key sets cached before the first test. */
export function withCostedApi() {
  let proxy: CountingProxy;
  let commits: Awaited<ReturnType<typeof openCommitCounter>>;
  // Before the database goes, to which both are connected.
  afterAll(async () => {
    await commits.close();
    await proxy.close();
  });
  const api = withApi({
    through: async (url) => {
      proxy = await startCountingProxy(url);
      return proxy.url;
    },
    // Confirms that wait share reads of their rows, of which none is of one request.
    app: {
      aroundIntents: (intents) => ({ ...intents, statuses: () => new Promise(() => undefined) }),
    },
  });
  beforeAll(async () => {
    commits = await openCommitCounter(api.bed.url);
    for (const who of [api.partner, api.other]) {
      await api.app.get(api.intent, mintToken(who, api.intent));
    }
  });

  async function countDuring(work: () => Promise<unknown>): Promise<Costs> {
    let wire = { statements: 0, roundTrips: 0 };
    const committed = await commits.countDuring(async () => {
      wire = await proxy.countDuring(work);
    });
    return { ...wire, commits: committed };
  }

  /** The answer's status, and `statements/round trips/commits`. */
  async function costOf(request: () => Promise<Reply>): Promise<string> {
    let status = 0;
    const costs = await countDuring(async () => {
      ({ status } = await request());
    });
    return `${status}: ${costs.statements}/${costs.roundTrips}/${costs.commits}`;
  }
  return { ...api, countDuring, costOf };
}
