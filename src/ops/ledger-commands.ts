// `payctl ledger check` (docs/operations.md): help, and what is printed.
import type { Command } from 'commander';
import { checkLedger, type LedgerCheck } from '../postgres/ledger-check';
import { printRecord, printRows, tell } from './print';
import { Refusal } from './refusal';
import { inSession } from './session';

interface Printing {
  readonly json?: boolean;
}

export function addLedgerCommands(payctl: Command): void {
  const ledger = payctl.command('ledger').description('Prove that the ledger is right.');
  ledger
    .command('check')
    .description(
      'Add up every account and match every intent with its transfers and its payout, in one snapshot and without writing. It exits 1 when anything does not agree.',
    )
    .option('--json', 'print JSON')
    .action(runCheck);
}

const TOLD_EVERY_ROWS = 250_000;

async function runCheck({ json }: Printing): Promise<void> {
  let told = 0;
  const onProgress = (rows: number) => {
    if (rows < told + TOLD_EVERY_ROWS) return;
    told = rows;
    tell(`${rows} rows looked at so far.`);
  };
  const checks = await inSession(({ database }) => checkLedger(database, onProgress));
  const failed = checks.filter(({ violations }) => violations > 0);
  if (json === true) printRecord({ ok: failed.length === 0, checks }, true);
  else printRows(checks, false, 'Nothing was checked.');
  if (failed.length > 0) throw doesNotAgree(failed);
}

function doesNotAgree(failed: readonly LedgerCheck[]): Refusal {
  const named = failed.map(({ name, violations }) => `${name} (${violations})`).join(', ');
  return new Refusal(`The ledger does not agree with itself: ${named}.`);
}
