// Makes each mistake of the guide's table in the sandbox, and checks that the answer is the one of
// its row and that the row's command prints what names the cause.
import { readFileSync } from 'node:fs';
import { until } from '../../src/dev/until';
import { verifyWebhook } from '../../src/sdk';
import { startReceiver } from '../support/webhooks/webhook-receiver';
import { CONFORMANCE } from './conformance-check';
import { MISTAKES, type Mistaken } from './mistaken-requests';
import { GUIDE } from './snippets';
import { demand, runPayctl, type Workplace } from './workplace';

/** The API writes its log a moment after its answer. */
const LOGGED_WITHIN_MS = 20_000;

/** The only mistake that the service does not see. */
export const OF_WEBHOOKS = 'webhook parsed before verifying';

interface Row {
  readonly mistake: string;
  /** The texts of the last cell. */
  readonly printed: readonly string[];
}

const ROW = /^\| ([^|]+?) +\| [A-D] +\| (.+?) +\|$/gm;

export function mistakeRows(page = readFileSync(GUIDE, 'utf8')): readonly Row[] {
  return [...page.matchAll(ROW)].map(([, mistake = '', last = '']) => {
    const printed = [...last.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
    return { mistake, printed };
  });
}

export async function checkMistakes(place: Workplace): Promise<void> {
  const rows = mistakeRows();
  if (rows.length !== 10) throw new Error(`the page has ${rows.length} mistakes, not ten`);
  for (const { mistake, printed } of rows) {
    const made = await makeAll(place, mistake);
    for (const { output, ...answer } of made) {
      const ran = { code: answer.status, stdout: output, stderr: '' };
      demand(answer.status === statusOf(mistake), `"${mistake}" is answered in another way`, ran);
      const isNamed = printed.some((text) => output.includes(text));
      demand(isNamed, `"${mistake}": the command does not name it`, ran);
    }
    const all = made.map(({ output }) => output).join('\n');
    const missing = printed.filter((text) => !all.includes(text));
    demand(missing.length === 0, `"${mistake}": no command prints ${missing.join(', ')}`, {
      ...{ code: 0, stderr: '' },
      stdout: all,
    });
  }
}

/** The page says so above the table. */
function statusOf(mistake: string): number {
  return mistake === OF_WEBHOOKS ? 400 : 401;
}

interface Explained {
  readonly status: number;
  readonly output: string;
}

async function makeAll(place: Workplace, mistake: string): Promise<readonly Explained[]> {
  const makes = MISTAKES[mistake];
  if (mistake === OF_WEBHOOKS) return [await parseBeforeVerifying(place)];
  if (makes === undefined) throw new Error(`nothing makes the mistake "${mistake}"`);
  const made: Explained[] = [];
  for (const make of makes) {
    const mistaken = await make(place);
    made.push({ status: mistaken.status, output: await explained(place, mistaken) });
  }
  return made;
}

/** Repeats `requests why` until the log has the request. */
async function explained(place: Workplace, mistaken: Mistaken): Promise<string> {
  const { program, explain, settings } = mistaken;
  if (program === 'conformance') {
    const { stdout } = await place.run([CONFORMANCE, ...explain], { settings });
    return stdout.replaceAll(/\s+/g, ' ');
  }
  let output = '';
  const isFound = async () => {
    output = await runPayctl(place, explain, { settings, codes: [0, 1] });
    return !output.includes('None of ');
  };
  await until(isFound, { timeoutMs: LOGGED_WITHIN_MS });
  return output.replaceAll(/\s+/g, ' ');
}

/** A receiver as with a framework's JSON parser: it verifies what it has serialized again. */
async function parseBeforeVerifying(place: Workplace): Promise<Explained> {
  const { WEBHOOK_SECRET = '' } = place.settings;
  const receiver = await startReceiver((_request, response, nth) => {
    const { headers, body } = receiver.received[nth - 1] ?? { headers: {}, body: '{}' };
    try {
      verifyWebhook(JSON.stringify(JSON.parse(body)), headers, [WEBHOOK_SECRET]);
      response.writeHead(204).end();
    } catch {
      response.writeHead(400).end();
    }
  });
  try {
    const { stdout } = await place.run([CONFORMANCE, '--receiver', receiver.url]);
    const output = stdout.replaceAll(/\s+/g, ' ');
    const isRejected = / FAILED +It accepts JSON .* It answered 400/.test(output);
    return { status: isRejected ? 400 : 0, output };
  } finally {
    receiver.close();
  }
}
