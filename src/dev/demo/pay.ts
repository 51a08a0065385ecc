// `npm run sandbox:pay -- CENTS` makes one payment of the running sandbox, as the partner and as
// the payer, and prints its id, and on standard error its status after two seconds. With `--link`
// it leaves the confirm to you: it prints the address of the payment's checkout.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { processEnvironment, readLocalDir } from '../../config/config';
import { CORRIDORS, isCorridor } from '../../corridors/names';
import { isUsdCents } from '../../domain/money';
import { COMMANDS } from '../tools';
import { readSandboxFile } from './sandbox-file';
import { checkoutLink, clientOf, confirmAsPayer, mintSandboxToken } from './sandbox-partner';

const PAYER = 'sandbox-payer';
const USUAL_CENTS = '1250';

/** @throws Error that says which argument is wrong, or that no sandbox runs */
async function pay(args: readonly string[]): Promise<void> {
  const { cents, corridor, isLink } = readArguments(args);
  const sandbox = readSandboxFile(resolve(readLocalDir(processEnvironment())));
  const [partner] = sandbox?.partners ?? [];
  if (sandbox === undefined || partner === undefined) {
    throw new Error(`No sandbox is running here: run \`${COMMANDS.start}\` in another terminal.`);
  }
  const client = clientOf(sandbox.base_url, partner);
  const order = { partnerUserId: PAYER, amountUsdCents: cents, corridor };
  const intent = await client.createIntent(order);
  if (isLink) {
    console.log(await checkoutLink(sandbox, partner, PAYER, intent));
    return;
  }
  const token = await mintSandboxToken(partner, PAYER, intent);
  const answer = await confirmAsPayer(sandbox.base_url, intent, token, { prefer: 'wait=2' });
  const { status } = (await answer.json()) as { readonly status?: string };
  console.log(intent.intentId);
  console.error(`${intent.intentId}: ${status ?? `confirm answered ${String(answer.status)}`}`);
}

function readArguments(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      link: { type: 'boolean', default: false },
      corridor: { type: 'string', default: CORRIDORS[0] },
    },
  });
  const cents = Number(positionals[0] ?? (values.link ? USUAL_CENTS : ''));
  if (!isUsdCents(cents)) throw new Error('An amount in US cents is missing, such as 40005.');
  const { corridor, link } = values;
  if (!isCorridor(corridor)) throw new Error(`The corridor is one of ${CORRIDORS.join(', ')}.`);
  return { cents, corridor, isLink: link };
}

/** @returns the exit code */
export async function payPrinted(args: readonly string[]): Promise<number> {
  try {
    await pay(args);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

if (require.main === module) {
  void payPrinted(process.argv.slice(2)).then((code) => {
    process.exitCode = code;
  });
}
