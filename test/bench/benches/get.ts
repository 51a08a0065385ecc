// Benches `get-by-token` and `get-signed`: a read against a bare Koa with one SELECT (architecture,
// section 8: by token at least 0.30 for the first read and 0.65 for a repeat, signed at least 0.4).
import { eachMadeBy, type Answer } from '../figures/comparison';
import { inTurn, openPayments, type Begun } from '../load/payments';
import { atLeast, type Findings, type Bench } from '../figures/report';
import { signedReadRequest, tokenReadRequest } from '../load/requests';
import type { Stand } from '../stand';
import { BLOCK_MS, compareThroughput } from '../load/throughput';

const IN_FLIGHT = 32;
/** The number of intents that are read in turn. */
const INTENTS = 256;
const FOUND: Answer = { status: '200', contains: '"status":"created"' };
const SETTINGS = {
  in_flight: IN_FLIGHT,
  block_ms: BLOCK_MS,
  intents: INTENTS,
  reference: 'bare Koa and one SELECT, in its own process, over the same rows',
};

export const getByToken: Bench = {
  name: 'get-by-token',
  settings: { ...SETTINGS, first_read: 'a token that no request has brought before' },
  async run(stand) {
    const setup = await startSetup(stand);
    const first = setup.inTurn(({ partner, intent }) => tokenReadRequest(partner, intent));
    const tokens = new Map<Begun, Uint8Array>();
    const again = setup.inTurn((begun) => {
      const known = tokens.get(begun) ?? tokenReadRequest(begun.partner, begun.intent);
      tokens.set(begun, known);
      return known;
    });
    return [
      await measure({ title: 'get: by token, first read', target: 0.3, make: first }, setup, stand),
      await measure(
        { title: 'get: by token, read again', target: 0.65, make: again },
        setup,
        stand,
      ),
    ];
  },
};

export const getSigned: Bench = {
  name: 'get-signed',
  settings: SETTINGS,
  async run(stand) {
    const setup = await startSetup(stand);
    const make = setup.inTurn(({ partner, intent }) => signedReadRequest(partner, intent.intentId));
    return [await measure({ title: 'get: signed', target: 0.4, make }, setup, stand)];
  },
};

type Setup = Awaited<ReturnType<typeof startSetup>>;

async function startSetup({ world }: Stand) {
  const partner = await world.onboard({ name: 'siam-travel' });
  const payments = await openPayments(world, world.databaseUrl);
  const begun = await payments.begin([partner], INTENTS);
  let next = 0;
  return {
    api: await world.startApi(),
    bare: await world.startReference('bare-read.ts', { DATABASE_URL: world.databaseUrl }),
    inTurn: (make: (begun: Begun) => Uint8Array) => () => {
      const one = begun[next % begun.length];
      if (one === undefined) throw new Error('no intent to read');
      next += 1;
      return make(one);
    },
  };
}

interface Row {
  readonly title: string;
  readonly target: number;
  readonly make: () => Uint8Array;
}

/**
 * Both sides get the same kind of request. The bare side gets few of them repeatedly, because it
 * verifies none.
 */
function measure({ title, target, make }: Row, setup: Setup, stand: Stand): Promise<Findings> {
  const samples = Array.from({ length: INTENTS }, make);
  const comparison = {
    ...{ title, inFlight: IN_FLIGHT, answer: FOUND },
    nameOf: (side: string) => `${title}, ${side}, requests/s`,
    reference: {
      port: setup.bare,
      prepare: (count: number) => Promise.resolve(inTurn(samples, count)),
    },
    ours: { port: setup.api, prepare: eachMadeBy(make) },
  };
  return compareThroughput(comparison, atLeast(target), stand);
}
