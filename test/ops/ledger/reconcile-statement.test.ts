// "A malformed, truncated, empty or wrong-environment file exits 2 with the line number, raises
// nothing and is never clean" (decision 130).
import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { StatementLine } from '../../../src/domain/reconciliation';
import { openStatement } from '../../../src/ops/ledger/reconcile/statement';
import { anIntentId } from '../../support/builders';
import {
  inPieces,
  jsonLines,
  lineOf,
  openReconcileWorld,
  type StatedLine,
  withReconciliation,
} from './reconcile-world';

const INTENT = anIntentId();
const LINE = lineOf(INTENT);
const JSON_LINE = jsonLines([LINE]);
const HEAD = 'key,amount_usd_cents,corridor,executed_at';
const CSV_LINE = `${LINE.key},1250,th_qrpay,${LINE.executed_at}`;
const CSV = `${HEAD}\n${CSV_LINE}\n`;

const SANDBOX = { ofDatabase: 'sandbox', ofUnmarked: 'sandbox' };

async function linesOf(
  text: string | Buffer,
  { environments = SANDBOX, size = 37 } = {},
): Promise<readonly StatementLine[]> {
  const lines: StatementLine[] = [];
  for await (const line of openStatement(inPieces(text, size), environments).lines) {
    lines.push(line);
  }
  return lines;
}

const csvField = (text: string) => `"${text.replaceAll('"', '""')}"`;

describe('a statement', () => {
  const capitals = (name: string) => name.toUpperCase();
  const READ = {
    ...{ key: LINE.key, intentId: INTENT, amountUsdCents: 1_250, corridor: 'th_qrpay' },
    ...{ isReturned: false, local: null, cost: null },
    executedAtMs: Date.parse(LINE.executed_at),
  };

  it.each<[string, string, number]>([
    ['JSON lines', JSON_LINE, 1],
    ['JSON lines without a last line break', JSON_LINE.trimEnd(), 1],
    ['JSON lines with CRLF, a byte order mark and empty lines', `\ufeff\r\n${JSON_LINE}\r\n`, 2],
    ['JSON lines with names in capitals', JSON_LINE.replaceAll(/"\w+":/g, capitals), 1],
    ['CSV', CSV, 2],
    ['CSV with CRLF and a byte order mark', `\ufeff${CSV.replaceAll('\n', '\r\n')}`, 2],
    ['CSV with everything quoted', CSV.replaceAll(/[^,\n]+/g, csvField), 2],
    ['CSV in another order, with more columns', `note,${HEAD}\n"a,\nb",${CSV_LINE}\n`, 3],
    ['CSV without a last line break, if its time is the last column', CSV.trimEnd(), 2],
  ])('is read as %s', async (_what, text, line) => {
    expect(await linesOf(text)).toEqual([{ ...READ, line }]);
  });

  it.each([
    ['JSON', jsonLines([{ ...LINE, status: 'returned' }]), 1],
    ['CSV', `${HEAD},status\n${CSV_LINE},returned\n`, 2],
  ])('in %s says that money came back', async (_what, text, line) => {
    expect(await linesOf(text)).toEqual([{ ...READ, isReturned: true, line }]);
  });

  it('has the payee’s amount and the cost, also without cents', async () => {
    const cost = { currency: 'USDT', debited: '12.5000001', fee: '0.3' } as const;
    const local = { currency: 'THB', amount: 43_125 } as const;
    const lines = jsonLines([
      { ...LINE, amount_usd_cents: undefined, local, cost },
      { ...LINE, local: null, cost: null },
    ]);
    const said = { amountUsdCents: null, local: { currency: 'THB', minor: 43_125 } };
    expect(await linesOf(lines)).toEqual([
      { ...READ, ...said, cost: '12.5000001', line: 1 },
      { ...READ, line: 2 },
    ]);
  });

  it('is read the same in any pieces, and in either format', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
    const printable = text.filter((one) => !/\p{C}/u.test(one));
    const line = fc.record({
      key: fc.oneof(fc.constant(LINE.key), printable),
      amount_usd_cents: fc.integer({ min: 1, max: 100_000_000 }),
      corridor: fc.constantFrom('th_qrpay', 'vn_qrpay', 'a "b", c'),
      executed_at: fc
        .date({ min: new Date(0), max: new Date('9999-01-01Z'), noInvalidDate: true })
        .map((at) => at.toISOString()),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 200 }),
        async (lines, size) => {
          const csv = lines.map((one) => Object.values(one).map(String).map(csvField).join(','));
          const unnumbered = ({ line: _, ...rest }: StatementLine) => rest;
          const ofJson = await linesOf(jsonLines(lines), { size });
          const ofCsv = await linesOf([HEAD, ...csv, ''].join('\n'), { size });
          expect(ofJson.map(({ key }) => key)).toEqual(lines.map(({ key }) => key));
          expect(ofCsv.map(unnumbered)).toEqual(ofJson.map(unnumbered));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('holds no more than one line and one piece of itself in memory', async () => {
    const endless = Readable.from(
      (function* () {
        yield Buffer.from('{"key":"');
        for (;;) yield Buffer.alloc(4_096, 'x');
      })(),
    );
    const { lines } = openStatement(endless, SANDBOX);
    await expect(lines[Symbol.asyncIterator]().next()).rejects.toThrow('line 1: it is longer than');
  });
});

describe('a statement is rejected, with the line,', () => {
  const json = (overrides: Partial<Record<keyof StatedLine, unknown>>) =>
    `${JSON_LINE}${JSON.stringify({ ...LINE, ...overrides })}\n`;

  it.each<[string, string | Buffer, number, string]>([
    ['an amount of 12.5 cents', json({ amount_usd_cents: 12.5 }), 2, 'amount_usd_cents is not'],
    ['an amount as a text', json({ amount_usd_cents: '1250' }), 2, 'amount_usd_cents is not'],
    ['an amount of 0', json({ amount_usd_cents: 0 }), 2, 'amount_usd_cents is not'],
    ['an amount in dollars', CSV.replace('1250', '12.50'), 2, 'amount_usd_cents is not'],
    ['a negative amount', CSV.replace('1250', '-1250'), 2, 'amount_usd_cents is not'],
    ['no amount', CSV.replace('1250', ''), 2, 'amount_usd_cents is not'],
    [
      'no cents and no payee’s amount',
      json({ amount_usd_cents: undefined }),
      2,
      'amount_usd_cents',
    ],
    [
      'a part of a satang',
      json({ local: { currency: 'THB', amount: 431.25 } }),
      2,
      'local is not {',
    ],
    [
      'dollars of a payee',
      json({ local: { currency: 'USD', amount: 1_250 } }),
      2,
      'local is not {',
    ],
    ['satangs as a text', json({ local: { currency: 'THB', amount: '4' } }), 2, 'local is not {'],
    ['satangs without a currency', json({ local: 43_125 }), 2, 'local is not {'],
    ['a cost as a number', json({ cost: { currency: 'USD', debited: 12.5 } }), 2, 'cost is not {'],
    ['a cost below zero', json({ cost: { currency: 'USD', debited: '-1' } }), 2, 'cost is not {'],
    ['a cost in euros', json({ cost: { currency: 'EUR', debited: '1' } }), 2, 'cost is not {'],
    ['a cost without a currency', json({ cost: '12.50' }), 2, 'cost is not {'],
    ['a cost in CSV', `${HEAD},cost\n${CSV_LINE},12.50\n`, 2, 'cost is not {'],
    ['no key', json({ key: '' }), 2, 'key is not'],
    ['a key with a control character', json({ key: 'a\u0000b' }), 2, 'key is not'],
    ['a key of 257 characters', json({ key: 'k'.repeat(257) }), 2, 'key is not'],
    ['no corridor', json({ corridor: undefined }), 2, 'corridor is not'],
    ['a day that does not exist', json({ executed_at: '2026-02-30T12:00:00Z' }), 2, 'executed_at'],
    ['a time without an offset', json({ executed_at: '2026-03-02T12:00:00' }), 2, 'executed_at'],
    ['an unknown status', json({ status: 'reversed' }), 2, 'status is none of'],
    ['another environment', json({ environment: 'prod' }), 2, 'of the environment "prod"'],
    ['another environment', `${HEAD},environment\n${CSV_LINE},prod\n`, 2, 'environment "prod"'],
    ['a status that is cut off', `${HEAD},status\n${CSV_LINE},`, 2, 'status is none of'],
    ['an empty status', `${HEAD},status\n${CSV_LINE},\n`, 2, 'status is none of'],
    [
      'two statuses',
      json({}).replace(/}\n$/, ',"status":"paid","status":"declined"}\n'),
      2,
      'twice',
    ],
    [
      'a status in two cases',
      `${JSON_LINE.trimEnd().slice(0, -1)},"status":"paid","Status":"declined"}`,
      1,
      'but for case',
    ],
    [
      'an amount that is rounded',
      JSON_LINE.replace('1250', '1250.00000000000000001'),
      1,
      'one reading',
    ],
    ['JSON that is cut off', (JSON_LINE + JSON_LINE).slice(0, -9), 2, 'is the statement cut off'],
    ['an object on two lines', JSON.stringify(LINE, null, 2), 1, 'one JSON object'],
    ['a line that is a list', `${JSON_LINE}[]\n`, 2, 'not a JSON object'],
    ['a list of objects', `[${JSON_LINE}]`, 1, 'it is a list. Expected one object'],
    ['too few columns', `${CSV}${CSV_LINE.slice(0, 45)}\n`, 3, 'as many columns as the header'],
    ['too many columns', `${CSV}${CSV_LINE},1\n`, 3, 'as many columns as the header'],
    ['CSV cut off in its time', CSV.slice(0, -3), 2, 'executed_at is not'],
    ['a quote that is not closed', `${CSV}"${CSV_LINE}\n`, 3, 'a quote is not closed'],
    ['a quote inside a value', `${HEAD}\nk"e"y,1,c,2026-03-02T12:00:00Z\n`, 2, 'Quote'],
    ['no header', `${CSV_LINE}\n`, 1, 'the header has no key'],
    ['semicolons for commas', CSV.replaceAll(',', ';'), 1, 'with commas between them'],
    ['a column twice', `key,${HEAD}\nk,${CSV_LINE}\n`, 1, 'names a column twice'],
    ['bytes that are not UTF-8', Buffer.from(`${CSV}\xe9,1`, 'latin1'), 3, 'it is not UTF-8'],
    ['half a character at its end', Buffer.from('{"key":"é').subarray(0, -1), 1, 'not UTF-8'],
    ['a line of 20 000 bytes', `${CSV}${'k'.repeat(20_000)},1,c,t\n`, 3, 'is longer than 16384'],
  ])('if it has %s', async (_what, text, line, why) => {
    const read = linesOf(text);
    await expect(read).rejects.toThrow(`The statement cannot be read, line ${String(line)}: `);
    await expect(read).rejects.toThrow(why);
  });

  it('if it ends without a line break in a value that may be cut off', async () => {
    const cut = `executed_at,corridor,key,amount_usd_cents\n${LINE.executed_at},th_qrpay,${LINE.key},125`;
    expect(await linesOf(`${cut}\n`)).toHaveLength(1);
    await expect(linesOf(cut)).rejects.toThrow('line 2: its line break is missing');
  });

  it('if it does not say its environment, and the database is that of production', async () => {
    const environments = { ofDatabase: 'prod', ofUnmarked: undefined as never };
    await expect(linesOf(CSV, { environments })).rejects.toThrow('line 2: it does not say its env');
    const given = { ofDatabase: 'prod', ofUnmarked: 'prod' };
    expect(await linesOf(CSV, { environments: given })).toHaveLength(1);
  });
});

describe('a rejected statement', () => {
  const world = withReconciliation({ isPerTest: false });
  let failed: string;
  beforeAll(async () => {
    failed = await world.payment('failed');
  });

  it.each([
    ['malformed at its end', () => `${jsonLines([lineOf(failed)])}{"key":`, 'line 2'],
    ['empty', () => '', 'has no line of a payment that was executed'],
    ['a header only', () => `${HEAD}\n`, 'has no line of a payment'],
    ['blank lines', () => '\n\n', 'has no line of a payment'],
    [
      'of payouts that moved no money',
      () => jsonLines([lineOf(failed, { status: 'declined' })]),
      'no line',
    ],
    ['of another period', () => jsonLines([lineOf(failed, { at: 150 })]), 'no line in the period'],
    [
      'of a clock that is six minutes ahead',
      () => jsonLines([lineOf(failed), lineOf(failed, { at: 186 })]),
      'line 2: executed_at is in the future',
    ],
    ['of production', () => jsonLines([lineOf(failed, { environment: 'prod' })]), 'line 1'],
  ])('leaves nothing behind: %s', async (_what, statement, why) => {
    await expect(world.reconcile(statement())).rejects.toThrow(why);
    expect(await world.attentionOf(failed)).toBeNull();
    const { rows } = await world.bed.database.query({
      text: 'select from reconciliations union all select from reconcile_findings',
    });
    expect(rows).toEqual([]);
  });

  it('leaves nothing behind: given as of another environment than the database', async () => {
    const options = { environment: 'prod' };
    await expect(world.reconcile([lineOf(failed)], options)).rejects.toThrow('that of sandbox');
  });
});

it('a database that names no environment rejects every statement', async () => {
  const world = await openReconcileWorld();
  await world.bed.database.query({ text: 'delete from service_environment' });
  await expect(world.reconcile([LINE])).rejects.toThrow('does not say which environment');
  await world.close();
});
