// The partner guide agrees with the code, CI runs every program of it, and the checks of those
// programs detect faults (decision 118).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toErrorReply } from '../../api/errors';
import { DomainError, ERROR_CODES } from '../../src/domain/errors';
import { INTENT_STATUSES } from '../../src/domain/intents/payment-intent';
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhooks/event';
import { WEBHOOK_WAITS_MS } from '../../src/domain/webhooks/schedule';
import { mistakeRows, OF_WEBHOOKS } from '../guide/mistakes-check';
import { MISTAKES } from '../guide/mistaken-requests';
import { PARTNER_PROGRAMS } from '../guide/partner-check';
import { MINTING_PROGRAMS, PAYMENT_PROGRAMS } from '../guide/payment-checks';
import { checkSigning, SIGNING_PROGRAMS } from '../guide/signing-check';
import { GUIDE, readSnippets } from '../guide/snippets';
import { GENERATOR_TOOLS, GUIDE_TOOLS, missingTools, SHELL_TOOLS } from '../guide/tools';
import { checkWebhooks, WEBHOOK_PROGRAMS } from '../guide/webhook-check';
import { programOf, type Workplace } from '../guide/workplace';
import { ROOT } from '../support/programs/fixture-project';

const guide = readFileSync(GUIDE, 'utf8');
const snippets = readSnippets();

/** The first two cells of each row whose first cell matches. */
const rowsWith = (pattern: RegExp) =>
  [...guide.matchAll(/^\| (.+?) +\| (.+?) +\|/gm)]
    .filter(([, first = '']) => pattern.test(first))
    .map(([, first = '', second = '']) => [first, second] as const);

describe('the programs of the guide', () => {
  it('are exactly those that test:guide runs', () => {
    const run = [
      ...[...SIGNING_PROGRAMS, ...MINTING_PROGRAMS, ...WEBHOOK_PROGRAMS].map(({ file }) => file),
      ...[...PAYMENT_PROGRAMS, ...PARTNER_PROGRAMS],
    ];
    expect(snippets.map(({ file }) => file).sort()).toEqual(run.sort());
  });

  it('are each announced by their file name', () => {
    const unannounced = snippets.filter(
      ({ file }) => !guide.split('\n').some((line) => announces(line, file)),
    );
    expect(unannounced).toEqual([]);
  });

  it('contain no setting of a real system', () => {
    const texts = snippets.map(({ text }) => text).join('\n');
    expect(texts).not.toMatch(/whsec_\w|BEGIN .*KEY|https:\/\/(?!www\.standardwebhooks)/);
  });

  it('are the same in the README of the SDK', () => {
    const readme = readSnippets(readFileSync(join(ROOT, 'src/sdk/README.md'), 'utf8'));
    expect(readme).toEqual(snippets.filter(({ file }) => file === 'first-payment.mts'));
  });

  it('take no Idempotency-Key from a clock: two orders of one instant would be one payment', () => {
    const python = readSnippets(readFileSync(join(ROOT, 'src/sdk/python/README.md'), 'utf8'));
    const lines = [...snippets, ...python].flatMap(({ text }) => text.split('\n'));
    const keys = lines.filter((line) => /idempotency.?key/i.test(line));
    expect(keys.length).toBeGreaterThan(6);
    expect(keys.filter((line) => /\b(Date|time)\b/.test(line))).toEqual([]);
  });

  it('are all run by CI', () => {
    expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toMatch(/ npm run test:guide /);
  });
});

function announces(line: string, file: string): boolean {
  return line.includes(`\`${file}\``) && !line.startsWith('```');
}

describe('the contract agrees with guide and protocol', () => {
  const contract = readFileSync(join(ROOT, 'api/openapi.yaml'), 'utf8').replaceAll(/\s+/g, ' ');

  it('that a receiver answers once it has stored the event', () => {
    const rule =
      'Answer 2xx within 15 seconds, once you have stored the event; do the work afterwards.';
    expect(guide).toContain(rule);
    expect(contract.replaceAll('**', '')).toContain(rule);
  });

  it('that a request which is answered 500 may have been executed', () => {
    const protocol = readFileSync(join(ROOT, 'docs/protocol.md'), 'utf8').replaceAll(/\s+/g, ' ');
    expect(protocol).toContain('answered 500 or 503, or not at all, may have been executed');
    const [, failed = ''] = /InternalError: description: \| (.*?) headers:/.exec(contract) ?? [];
    expect(failed).toContain('may have been executed');
  });
});

it('the guide says that production requires the scanned code before it confirms', () => {
  const page = guide.replaceAll(/\s+/g, ' ');
  const [program, section] = [
    page.indexOf('In production a confirm needs the scanned code.'),
    page.indexOf('**In production the scanned code is required** in every confirm'),
  ];
  expect(program).toBeGreaterThan(0);
  expect(program).toBeLessThan(page.indexOf('const confirmed = await fetch('));
  expect(section).toBeGreaterThan(0);
  expect(section).toBeLessThan(page.indexOf('`confirm.sh` plays'));
});

describe('the tables of the guide', () => {
  it('have every status and code that the API answers', () => {
    const answered = ERROR_CODES.map((code) => {
      const reply = toErrorReply(new DomainError(code), 'flat', 'r');
      const { error } = JSON.parse(reply.body) as { readonly error: string };
      return [String(reply.status), `\`${error}\``];
    });
    expect([...rowsWith(/^\d{3}$/)].sort()).toEqual(answered.sort());
  });

  it('have every status of an intent', () => {
    const rows = rowsWith(new RegExp(`^\`(${INTENT_STATUSES.join('|')})\`$`));
    expect(rows.map(([status]) => status.replaceAll('`', '')).sort()).toEqual(
      [...INTENT_STATUSES].sort(),
    );
  });

  it('have every type of webhook', () => {
    const named = guide.match(/`payment_intent\.[a-z]+`/g) ?? [];
    const types = new Set(named.map((name) => name.replaceAll('`', '')));
    expect([...types].sort()).toEqual([...WEBHOOK_EVENT_TYPES].sort());
  });

  it('have the waits between the attempts of a webhook', () => {
    const waits = WEBHOOK_WAITS_MS.slice(1).map(inWords);
    const sentence = `after ${waits.slice(0, -1).join(', ')} and ${waits.at(-1) ?? ''}.`;
    expect(guide.replaceAll(/\s+/g, ' ')).toContain(sentence);
  });
});

function inWords(ms: number): string {
  const [seconds, minutes, hours] = [ms / 1_000, ms / 60_000, ms / 3_600_000];
  if (hours >= 1) return `${hours} h`;
  return minutes >= 1 ? `${minutes} min` : `${seconds} s`;
}

it('has ten usual mistakes, and each is made by test:guide', () => {
  const made = [...Object.keys(MISTAKES), OF_WEBHOOKS];
  expect(mistakeRows().map(({ mistake }) => mistake)).toEqual(made);
});

describe('the check of a program', () => {
  const python = programOf('create_intent.py');
  const webhooks = programOf('verify_webhook.py');
  /** A partner's folder in which every program prints this text. */
  const placePrinting = (stdout: string, code = 0): Workplace => ({
    folder: '',
    settings: {},
    serverPort: 0,
    run: () => Promise.resolve({ code, stdout, stderr: '' }),
  });

  it('names the vector that has another signature', async () => {
    const checked = checkSigning(placePrinting('another signature'), python);
    await expect(checked).rejects.toThrow(
      'create_intent.py makes another signature for the vector specification-example;',
    );
  });

  it('detects a program that accepts every webhook, and one that accepts none', async () => {
    const accepting = checkWebhooks(placePrinting('payment_intent.captured'), webhooks);
    await expect(accepting).rejects.toThrow('does not reject a webhook with another secret');
    const rejecting = checkWebhooks(placePrinting('', 1), webhooks);
    await expect(rejecting).rejects.toThrow('does not accept a webhook with one signature');
  });

  it('prints a message for each tool that is missing', async () => {
    const missing = await missingTools({ PATH: '/nowhere' }, GUIDE_TOOLS);
    expect(missing).toHaveLength(7);
    expect(missing).toContain('The Go programs need go: install Go 1.21 or later.');
    expect(await missingTools({ PATH: '/nowhere' }, SHELL_TOOLS)).toHaveLength(3);
    expect(await missingTools({ PATH: '/nowhere' }, GENERATOR_TOOLS)).toHaveLength(6);
    expect(await missingTools({ PATH: '/usr/bin:/bin' }, SHELL_TOOLS.slice(0, 1))).toEqual([]);
  });
});
