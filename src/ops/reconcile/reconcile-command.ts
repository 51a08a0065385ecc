// `payctl reconcile --statement FILE|-` (docs/operations.md, "Reconcile with the provider"): arguments, help, and what is printed.
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Option, type Command } from 'commander';
import { CORRIDORS, type Corridor } from '../../domain/corridor';
import { AS_OPTION, operatorName } from '../operator';
import { parseInstant } from '../option-values';
import { printStory, tell } from '../print';
import { BadOption, DifferencesFound, UnreadableStatement } from '../refusal';
import { inSession } from '../session';
import { reconcile, type ReconcileWish } from './reconcile';
import { reconciliationJson, reconciliationLines } from './reconcile-view';

interface ReconcileOptions {
  readonly statement: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly corridor?: Corridor;
  readonly env?: string;
  readonly as?: string;
  readonly json?: boolean;
}

export function addReconcileCommand(payctl: Command): void {
  payctl
    .command('reconcile')
    .description(
      'Compare our books with a provider’s statement, by payout key. Differences are stored and raise attention; it exits 3 when there are any, and 2 when the statement cannot be read. It moves no money.',
    )
    .requiredOption('--statement <file>', 'CSV or JSON lines; - is standard input')
    .option(
      '--since <time>',
      'where the statement’s period begins (default: its first payment)',
      parseInstant,
    )
    .option(
      '--until <time>',
      'where it ends, not after the statement was made (default: its last payment)',
      parseInstant,
    )
    .addOption(
      new Option(
        '--corridor <corridor>',
        'the one that the statement is of, if not of all',
      ).choices(CORRIDORS),
    )
    .addOption(
      new Option(
        '--env <environment>',
        'the statement’s, where its lines do not say it; prod requires it',
      ).choices(['sandbox', 'prod']),
    )
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runReconcile);
}

async function runReconcile({ json, ...options }: ReconcileOptions): Promise<void> {
  const wish = wishOf(options);
  const reconciled = await inSession(({ database }) => reconcile(database, wish));
  printStory(reconciliationJson(reconciled, wish.name), json === true, () =>
    reconciliationLines(reconciled),
  );
  const { differences, reconciliationId } = reconciled;
  if (differences === 0) return;
  throw new DifferencesFound(
    `The books differ (findings: ${differences}). They are kept as those of reconciliation ${reconciliationId}.`,
  );
}

function wishOf({ statement, env, as, ...scope }: Omit<ReconcileOptions, 'json'>): ReconcileWish {
  const { since, until } = scope;
  if (since !== undefined && until !== undefined && since > until) {
    throw new BadOption('--since is after --until: the period is empty.');
  }
  return {
    ...scope,
    bytes: bytesOf(statement),
    name: statement === STANDARD_INPUT ? 'standard input' : basename(statement),
    environment: env,
    actor: operatorName(as),
    onProgress: createTeller(),
  };
}

const STANDARD_INPUT = '-';

async function* bytesOf(statement: string): AsyncGenerator<Uint8Array> {
  try {
    const file = statement === STANDARD_INPUT ? process.stdin : createReadStream(statement);
    for await (const chunk of file as AsyncIterable<Buffer>) yield chunk;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UnreadableStatement(1, `${why}.`, { cause });
  }
}

const TOLD_EVERY_ROWS = 250_000;

function createTeller(): ReconcileWish['onProgress'] {
  let told = 0;
  let before = '';
  return (done, rows) => {
    if (done !== before) told = 0;
    before = done;
    if (rows < told + TOLD_EVERY_ROWS) return;
    told = rows;
    tell(`${rows} ${done} so far.`);
  };
}
