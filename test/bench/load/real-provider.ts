// MusePay or TransFi with its simulator in this process, whose pace the bench sets: an order counts
// and is answered that much later. While it is silent, orders count, and nothing is answered.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Corridor } from '../../../src/corridors/names';
import { freePorts } from '../../../src/dev/stack/ports';
import { listen } from '../../../src/main/listen';
import { codeWithAmount, REAL_SETTINGS } from '../../chaos/real-providers';
import { openMusePay } from '../../providers/musepay/simulator';
import { openTransFiSimulator } from '../../providers/transfi/simulator';
import type { World } from '../world';

export type Adapter = 'musepay' | 'transfi';
export type Pace = number | 'silent';

const CORRIDOR_OF = { musepay: 'th_qrpay', transfi: 'vn_qrpay' } as const;
const ORDERS = ['/v1/scanPay/submit', '/v3/orders'];
/** What `aCreateCommand` creates. */
const CENTS = 1_250;

export interface SlowProvider {
  readonly corridor: Corridor;
  /** What the payer scans, where the provider needs it. */
  readonly code?: string;
  readonly settings: Readonly<Record<string, string>>;
  setPace(pace: Pace): Promise<void>;
}

/** Closes at the end of the world. */
export async function openRealProvider(
  { atTheEnd }: World,
  adapter: Adapter,
): Promise<SlowProvider> {
  let pace: Pace = 0;
  const corridor = CORRIDOR_OF[adapter];
  const [callbackPort = 0] = await freePorts(1);
  const opened = await openSimulator(adapter, () => pace === 'silent');
  const held = new Set<ServerResponse>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const isOrder = request.method === 'POST' && ORDERS.includes(request.url ?? '');
    if (pace === 'silent' && !isOrder) held.add(response);
    else {
      if (isOrder && pace !== 'silent') await pause(pace);
      opened.serve(request, response);
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  const port = await listen(server, 0, '127.0.0.1');
  atTheEnd(async () => {
    server.close();
    server.closeAllConnections();
    await opened.close();
  });
  return {
    corridor,
    code: codeWithAmount(corridor, CENTS, 'A SHOP'),
    settings: {
      ...settingsOf(corridor),
      CALLBACK_PORT: String(callbackPort),
      [`PROVIDER_URL_${corridor.toUpperCase()}`]: `http://127.0.0.1:${String(port)}`,
    },
    async setPace(wanted: Pace): Promise<void> {
      pace = wanted;
      if (wanted === 'silent') return;
      for (const response of held) response.destroy();
      held.clear();
      const url = `http://127.0.0.1:${String(callbackPort)}/callbacks/${corridor}`;
      for (const callback of opened.callbacks()) {
        await fetch(url, { method: 'POST', ...callback });
      }
    },
  };
}

/** Those of this corridor's adapter. */
function settingsOf(corridor: string): Readonly<Record<string, string>> {
  const isOfCorridor = ([name]: readonly [string, string]) => name.includes(corridor.toUpperCase());
  return Object.fromEntries(Object.entries(REAL_SETTINGS).filter(isOfCorridor));
}

/** `callbacks` takes those about orders that were not answered, which only TransFi needs. */
async function openSimulator(adapter: Adapter, isSilent: () => boolean) {
  if (adapter === 'musepay') {
    const planOf = () => (isSilent() ? ({ submit: 'silence' } as const) : {});
    return { ...(await openMusePay({ planOf })), callbacks: () => [] };
  }
  const unanswered: string[] = [];
  const transfi = await openTransFiSimulator((key) => {
    if (!isSilent()) return {};
    unanswered.push(key);
    return { answer: 'silent' };
  });
  return { ...transfi, callbacks: () => unanswered.splice(0).map(transfi.callbackOf) };
}
