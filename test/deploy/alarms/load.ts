// Payments of the sandbox, one a second, while a trouble lasts.
import { setInterval } from 'node:timers';
import type { Sandbox } from '../../../src/dev/demo/sandbox-file';
import { clientOf, confirmAsPayer, mintSandboxToken } from '../../../src/dev/demo/sandbox-partner';

const EVERY_MS = 1_000;
const PAYER = 'rehearsal';

export interface Load {
  /** The payment that was created first after that time, in milliseconds since 1970. */
  firstAfter(time: number): string;
  stop(): void;
}

export function startLoad({ base_url: baseUrl, partners }: Sandbox, isQuiet = false): Load {
  const [partner] = partners;
  if (partner === undefined) throw new Error('there is no sandbox partner');
  const client = clientOf(baseUrl, partner);
  const created: { readonly at: number; readonly intentId: string }[] = [];
  const pay = async () => {
    const intent = await client.createIntent({
      ...{ partnerUserId: PAYER, amountUsdCents: 1_250, corridor: 'th_qrpay' as const },
    });
    created.push({ at: Date.now(), intentId: intent.intentId });
    const token = await mintSandboxToken(partner, PAYER, intent);
    await (await confirmAsPayer(baseUrl, intent, token)).arrayBuffer();
  };
  const timer = setInterval(() => {
    if (isQuiet) return;
    // A trouble makes payments fail; what the alarms say of it is measured.
    pay().catch(() => undefined);
  }, EVERY_MS);
  return {
    firstAfter: (time) => created.find(({ at }) => at > time)?.intentId ?? '',
    stop() {
      clearInterval(timer);
    },
  };
}
