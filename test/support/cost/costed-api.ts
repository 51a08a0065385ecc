// Measures the cost of a request in Postgres: statements and round trips by a counting proxy,
// commits by the write-ahead log.
import type { Reply } from '../app';
import { withApi } from '../brackets';
import { openCommitCounter } from './commit-counter';
import { startCountingProxy, type CountingProxy, type WireCounts } from './counting-proxy';
import { mintToken } from '../payments/partner';

interface Costs extends WireCounts {
  readonly commits: number;
}

/** {@link withApi} with partners and key sets cached before the first test. */
export function withCostedApi() {
  let proxy: CountingProxy;
  let commits: Awaited<ReturnType<typeof openCommitCounter>>;
  // Registered first, because both must close before the database is dropped.
  afterAll(async () => {
    await commits.close();
    await proxy.close();
  });
  const api = withApi({
    through: async (url) => {
      proxy = await startCountingProxy(url);
      return proxy.url;
    },
    // Waiting confirms share reads of their rows, which belong to no single request.
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

  /** The status code, and `statements/round trips/commits`. */
  async function costOf(request: () => Promise<Reply>): Promise<string> {
    let status = 0;
    const costs = await countDuring(async () => {
      ({ status } = await request());
    });
    return `${status}: ${costs.statements}/${costs.roundTrips}/${costs.commits}`;
  }
  return { ...api, countDuring, costOf };
}
