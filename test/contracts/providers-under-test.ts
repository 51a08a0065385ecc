// Payout providers for the contract suite: the HTTP adapter with the sandbox's provider behind it,
// and the scripted provider of workflow tests.
import { randomUUID } from 'node:crypto';
import { createHttpProvider } from '../../src/providers/http/provider';
import { createProviderOutbound } from '../../src/http/provider-outbound';
import type { PayoutAdapter, PayoutOrder } from '../../src/ports/payout-provider';
import { createProviderServer } from '../../src/sandbox/provider/server';
import { manualTime } from '../sandbox/manual-time';
import { recordingLog, makeFolder, removeFolder } from '../sandbox/sandbox-folder';
import { scriptedProviders, type ScriptedOutcome } from '../support/payments/scripted-provider';
import { IN_CENTS } from '../support/payments/accounts';

const TOKEN = 'a bearer credential';

/** The outcome of an order. `silent`: executed, but never answered. `lost`: it never arrived. */
type OrderFate = 'paid' | 'declined' | 'pending' | 'unsent' | 'silent' | 'lost';

export interface ProviderUnderTest {
  readonly provider: PayoutAdapter;
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
  /** A new order for which the provider reports another amount. */
  misreported(): PayoutOrder;
}

function anOrder(amountUsdCents: number): PayoutOrder {
  const key = `pi_${randomUUID()}:payout`;
  return { ...IN_CENTS, key, amountUsdCents, corridor: 'th_qrpay', qrPayload: null };
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

export async function openSandbox(): Promise<MoneyUnderTest> {
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
    provider,
    orderOf(fate) {
      answers.splice(0, answers.length, ...SCRIPTS[fate]);
      return anOrder(1_250);
    },
    close: () => Promise.resolve(),
  });
}
