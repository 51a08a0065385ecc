// Payout providers for the contract suite: each adapter with a simulated provider behind it, and
// the scripted provider of workflow tests.
import { randomBytes } from 'node:crypto';
import { ID_RANDOM_BYTES, makeIntentId, stepKey } from '../../src/domain/ids';
import { createHttpProvider } from '../../src/providers/http/provider';
import type { LocalAmount } from '../../src/domain/money';
import { createMusePayProvider } from '../../src/providers/musepay/provider';
import { requestIdOf } from '../../src/providers/musepay/requests';
import { createProviderOutbound } from '../../src/http/provider-outbound';
import type { PayoutAdapter, PayoutOrder } from '../../src/ports/payout-provider';
import { createProviderServer } from '../../src/sandbox/provider/server';
import { openMusePay, type Plan } from '../providers/musepay/simulator';
import { manualTime } from '../sandbox/manual-time';
import { recordingLog, makeFolder, removeFolder } from '../sandbox/sandbox-folder';
import { aThaiCode } from '../support/payments/qr-codes';
import { scriptedProviders, type ScriptedOutcome } from '../support/payments/scripted-provider';
import { IN_CENTS } from '../support/payments/accounts';

const TOKEN = 'a bearer credential';

/** The outcome of an order. `silent`: executed, but never answered. `lost`: it never arrived. */
type OrderFate = 'paid' | 'declined' | 'pending' | 'unsent' | 'silent' | 'lost';

export interface ProviderUnderTest {
  readonly provider: PayoutAdapter;
  /** What `pay` answers: the outcome, or only that there is an order, so that `find` says it. */
  readonly answersOrders: 'at once' | 'pending';
  /** The cents that facts of an order repeat. */
  readonly repeatedCents: (order: PayoutOrder) => number | null;
  /**
   * A new order with that outcome. An `unsent` order is queried first, and paid when it is sent.
   */
  orderOf(fate: OrderFate): PayoutOrder;
  close(): Promise<void>;
}

/** A provider that executes orders, unlike a script. */
export interface MoneyUnderTest extends ProviderUnderTest {
  /** How often the order was executed. */
  executionsOf(order: PayoutOrder): Promise<number>;
}

/** A provider that repeats the cents of an order, and may be wrong about them. */
interface CentsUnderTest extends MoneyUnderTest {
  /** A new order for which the provider reports another amount. */
  misreported(): PayoutOrder;
}

const CREATED_MS = Date.UTC(2026, 0, 15);
const AT_ONCE = {
  answersOrders: 'at once',
  repeatedCents: ({ amountUsdCents }: PayoutOrder) => amountUsdCents,
} as const;

function anOrder(amountUsdCents: number, local: LocalAmount | null = null): PayoutOrder {
  const intentId = makeIntentId(CREATED_MS, randomBytes(ID_RANDOM_BYTES));
  return {
    ...{ key: stepKey(intentId, 'payout'), amountUsdCents, corridor: 'th_qrpay' as const },
    ...{ ...IN_CENTS, local, qrPayload: aThaiCode() },
  };
}

/** The amounts of src/sandbox/scenarios.ts that cause each outcome. */
const AMOUNTS: Readonly<Record<OrderFate, number>> = {
  paid: 1_250,
  unsent: 1_250,
  declined: 40_001,
  silent: 40_002,
  pending: 40_004,
  lost: 40_007,
};
const REPORTED_WRONGLY = 40_008;

export async function openSandbox(): Promise<CentsUnderTest> {
  const directory = await makeFolder();
  const server = await createProviderServer({
    ...manualTime(),
    directory,
    token: TOKEN,
    log: recordingLog(),
  });
  const baseUrl = `http://127.0.0.1:${String(await server.listen(0, '127.0.0.1'))}`;
  const outbound = createProviderOutbound();
  return {
    ...AT_ONCE,
    provider: createHttpProvider(outbound, { baseUrl, token: TOKEN }),
    orderOf: (fate) => anOrder(AMOUNTS[fate]),
    misreported: () => anOrder(REPORTED_WRONGLY),
    async executionsOf({ key }) {
      const journal = await fetch(`${baseUrl}/journal`);
      const entries = (await journal.json()) as readonly { readonly key: string }[];
      return entries.filter((entry) => entry.key === key).length;
    },
    async close() {
      await outbound.close();
      await server.close();
      await removeFolder(directory);
    },
  };
}

/** What becomes of an order at MusePay. */
const PLANS: Readonly<Record<OrderFate, Plan>> = {
  ...{ paid: {}, unsent: {}, declined: { status: 44 }, pending: { status: 22 } },
  ...{ silent: { submit: 'silence' }, lost: { submit: 'request_lost' } },
};

export async function openMusePayAdapter(): Promise<MoneyUnderTest> {
  const musePay = await openMusePay();
  const outbound = createProviderOutbound();
  const idOf = ({ key }: PayoutOrder) => requestIdOf(key) ?? key;
  return {
    provider: createMusePayProvider(outbound, musePay),
    answersOrders: 'pending',
    repeatedCents: () => null,
    orderOf(fate) {
      const order = anOrder(1_250, { currency: 'THB', minor: 43_125 });
      musePay.plan(idOf(order), PLANS[fate]);
      return order;
    },
    executionsOf: (order) => Promise.resolve(musePay.executionsOf(idOf(order))),
    async close() {
      await outbound.close();
      await musePay.close();
    },
  };
}

/** The answers, call by call. */
const SCRIPTS: Readonly<Record<OrderFate, readonly ScriptedOutcome[]>> = {
  paid: ['paid'],
  unsent: ['not_found', 'paid'],
  declined: ['declined'],
  silent: ['unknown', 'paid'],
  pending: ['pending'],
  lost: ['unknown', 'not_found'],
};

export function openScript(): Promise<ProviderUnderTest> {
  const answers: ScriptedOutcome[] = [];
  const { th_qrpay: provider } = scriptedProviders(answers, []);
  return Promise.resolve({
    ...AT_ONCE,
    provider,
    orderOf(fate) {
      answers.splice(0, answers.length, ...SCRIPTS[fate]);
      return anOrder(1_250);
    },
    close: () => Promise.resolve(),
  });
}
