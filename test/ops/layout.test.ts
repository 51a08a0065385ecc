// Tables for people on a terminal of 80 columns: no word is lost, and no line is wider.
import { notedTableLines, recordLines, tableLines } from '../../src/ops/layout';

const LONG = 'a reason that is far longer than one line of a terminal. '.repeat(3).trim();

it('wraps a last column that is too long, below its own heading', () => {
  expect(tableLines([{ status: 'failed', reason: LONG.slice(0, 56) }], 40)).toEqual([
    'status  reason',
    'failed  a reason that is far longer than',
    '        one line of a terminal.',
  ]);
});

it('writes columns that do not fit below their row, each with its name', () => {
  const rows = [
    { id: 'x'.repeat(20), status: 'failed', corridor: 'th_qrpay', partner: 'acme' },
    { id: 'y', status: 'captured', corridor: 'vn_qrpay', partner: 'p'.repeat(30) },
  ];
  expect(tableLines(rows, 39)).toEqual([
    'id                    status',
    'xxxxxxxxxxxxxxxxxxxx  failed',
    '  corridor: th_qrpay, partner: acme',
    'y                     captured',
    '  corridor: vn_qrpay, partner:',
    `  ${'p'.repeat(30)}`,
  ]);
});

it('keeps the notes of a row below the columns that do not fit', () => {
  const row = { id: 'x'.repeat(30), partner: 'acme-of-the-north' };
  expect(notedTableLines([{ row, notes: ['one', 'two'] }], 40).slice(1)).toEqual([
    'x'.repeat(30),
    '  partner: acme-of-the-north',
    '  one',
    '  two',
  ]);
});

it('never breaks a word of a record, because somebody may have to copy it', () => {
  expect(recordLines({ key: 'k'.repeat(60), reason: LONG.slice(0, 56) }, 40)).toEqual([
    `key     ${'k'.repeat(60)}`,
    'reason  a reason that is far longer than',
    '        one line of a terminal.',
  ]);
});
