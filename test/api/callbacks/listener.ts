// The listener of a worker, as it runs, with the real adapters of three accounts.
import { Agent, request } from 'node:http';
import { createOutbound } from '../../../src/http/outbound';
import { listenForCallbacks } from '../../../src/main/callbacks';
import type { WorkerParts } from '../../../src/main/worker/parts';
import { PROVIDERS } from '../../../src/providers/registry';
import type { Queryable } from '../../../src/postgres/database';
import { SILENT } from '../../support/silent-log';
import { TOKENS, type Callback } from './signed';

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** Thailand: our protocol now, MusePay before. Vietnam: TransFi. */
export async function openListener(database: Queryable) {
  const outbound = createOutbound();
  const account = (adapter: keyof typeof PROVIDERS) => ({
    ...PROVIDERS[adapter](outbound, { baseUrl: 'http://127.0.0.1:9', token: TOKENS[adapter] }),
    account: `${adapter}/main`,
  });
  const counted: string[] = [];
  const metrics = {
    callbackAnswered: (corridor: string, result: string) => {
      counted.push(`${corridor} ${result}`);
    },
  };
  const config = { CALLBACK_PORT: 0, HOST: '127.0.0.1' };
  const parts = { config, database, metrics, log: SILENT } as unknown as WorkerParts;
  const { ready, close } = await listenForCallbacks(parts, {
    th_qrpay: [account('http'), account('musepay')],
    vn_qrpay: [account('transfi')],
  });
  const { callback_port: port = 0 } = ready as { readonly callback_port?: number };
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  return {
    port,
    counted,
    send: (callback: Callback, method = 'POST') => send({ port, agent, method }, callback),
    close: async () => {
      agent.destroy();
      await Promise.all([close(), outbound.close()]);
    },
  };
}

interface Line {
  readonly port: number;
  readonly agent: Agent;
  readonly method: string;
}

function send(line: Line, { path, headers, body }: Callback): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', ...line, path, headers }, (incoming) => {
      incoming.resume();
      incoming.on('end', () => {
        const retryAfter = incoming.headers['retry-after'];
        resolve({ status: incoming.statusCode ?? 0, retryAfter });
      });
    })
      .on('error', reject)
      .end(body);
  });
}
