// docs/restore.md: its reconciliations leave out no payment that may be lost, and it says of every
// command what to do about its effects that a restore has lost.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPayctl } from '../../src/ops/payctl';
import { ROOT } from '../support/programs/fixture-project';

const page = readFileSync(join(ROOT, 'docs/restore.md'), 'utf8').replaceAll(/\s+/g, ' ');

it('gives every reconciliation its period: without one, the last payments are left out', () => {
  const commands = [...page.matchAll(/payctl reconcile --statement[^`]*/g)].map(([text]) => text);
  expect(commands.length).toBeGreaterThan(1);
  expect(commands.filter((text) => !/--since \S+ --until \S+/.test(text))).toEqual([]);
});

it('repeats repayments after the refunds that they pay back, since more than the debt is rejected', () => {
  expect(page.split('`payctl intents refund ID`')[0]).not.toContain('book-repayment');
});

/** Commands without an effect that a restore loses. A prune may be repeated at any time. */
const NOTHING_LOST = ['show', 'list', 'totals', 'check', 'findings', 'why', 'explain', 'prune'];

it('names every command whose effects a restore loses', () => {
  const [, section = ''] = /## Postgres went back to a time T(.*?) ## /.exec(page) ?? [];
  const commands = createPayctl().commands.flatMap((noun) =>
    noun.commands
      .filter((verb) => !NOTHING_LOST.includes(verb.name()))
      .map((verb) => [noun.name(), verb.name()] as const),
  );
  expect(commands.length).toBeGreaterThan(18);
  const missing = commands.filter(
    ([noun, verb]) => !new RegExp(`${noun} ([a-z-]+\\|)*${verb}\\b`).test(section),
  );
  expect(missing).toEqual([]);
});
