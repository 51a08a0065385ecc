// `npm run sandbox:pay -- CENTS` makes one payment of the running sandbox, as the partner and as
// the payer. It prints the payment's id, and on standard error its status after two seconds.
import { resolve } from 'node:path';
import { processEnvironment, readLocalDir } from '../../config';
import { isUsdCents } from '../../domain/money';
import { readSandboxFile } from '../demo/sandbox-file';
import { clientOf, confirmAsPayer, mintSandboxToken } from '../demo/sandbox-partner';
import { ROOT } from '../tools';

const PAYER = 'sandbox-payer';

async function main(cents: number): Promise<void> {
  const sandbox = readSandboxFile(resolve(ROOT, readLocalDir(processEnvironment())));
  const [partner] = sandbox?.partners ?? [];
  if (sandbox === undefined || partner === undefined) {
    throw new Error('No sandbox is running here: run `npm start` in another terminal first.');
  }
  if (!isUsdCents(cents)) throw new Error('An amount in US cents is missing, such as 40005.');
  const order = { partnerUserId: PAYER, amountUsdCents: cents, corridor: 'th_qrpay' } as const;
  const intent = await clientOf(sandbox.base_url, partner).createIntent(order);
  const token = await mintSandboxToken(partner, PAYER, intent);
  const answer = await confirmAsPayer(sandbox.base_url, intent, token, { prefer: 'wait=2' });
  const { status } = (await answer.json()) as { readonly status?: string };
  console.log(intent.intentId);
  console.error(`${intent.intentId}: ${status ?? `confirm answered ${String(answer.status)}`}`);
}

main(Number(process.argv[2])).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
