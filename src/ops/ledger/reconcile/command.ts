// `payctl reconcile`: the command (docs/operations.md, "Reconcile with the provider").
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { CORRIDORS, type Corridor } from '../../../corridors/names';
import { ApprovalRequired } from '../../../postgres/approvals/decide';
import { AS, operatorName } from '../../operator';
import { parseInstant } from '../../option-values';
import { createProgressPrinter } from '../../print';
import { BadOption, DifferencesFound, UnreadableStatement } from '../../rejection';
import { option, verb } from '../../verb';
import { findings } from './findings';
import { reconcile } from './reconcile';
import { reconciliationJson, reconciliationLines } from './view';

interface Options {
  readonly statement?: string;
  readonly since?: Date;
  readonly until?: Date;
  readonly corridor?: Corridor;
  readonly env?: string;
  readonly ask?: boolean;
  readonly as?: string;
}

const STANDARD_INPUT = '-';

export const reconcileCommand = verb('reconcile', {
  does: 'Reconcile our books with a provider’s statement, by payout key. Differences are stored and raise attention. It exits 3 if there are any, and 2 if the statement cannot be read, or its period is too short. It moves no money.',
  options: [
    option('--statement <file>', 'required: CSV or JSON lines; - is standard input'),
    option(
      '--since <time>',
      'when the statement’s period begins (default: its first payment)',
    ).argParser(parseInstant),
    option(
      '--until <time>',
      'when it ends, not after the statement was made (default: its last payment)',
    ).argParser(parseInstant),
    option('--corridor <corridor>', 'the corridor of the statement (default: all)').choices(
      CORRIDORS,
    ),
    option(
      '--env <environment>',
      'the environment of the statement, if its lines do not say it; prod requires it',
    ).choices(['sandbox', 'prod']),
    option('--ask', 'reconcile nothing: ask that this statement may close findings and lift stops'),
    AS,
  ],
  verbs: [findings],
  work({ statement, since, until, corridor, env, as, ask }: Options) {
    if (statement === undefined) throw new BadOption('--statement <file> is not given.');
    if (since !== undefined && until !== undefined && since > until) {
      throw new BadOption('--since is after --until: the period is empty.');
    }
    if (ask === true) return () => askFor(statement, { since, until, corridor });
    const request = {
      ...{ since, until, corridor, environment: env, actor: operatorName(as) },
      bytes: bytesOf(statement),
      name: statement === STANDARD_INPUT ? 'standard input' : basename(statement),
      onProgress: createProgressPrinter(),
    };
    return ({ database }) => reconcile(database, request);
  },
  json: reconciliationJson,
  lines: reconciliationLines,
  after({ differences, isClean, reconciliationId }) {
    if (isClean) return;
    if (differences === 0) {
      throw new BadOption(
        'The period is too short: nothing in it was reconciled. Give --since and --until, more than ten minutes apart.',
      );
    }
    throw new DifferencesFound(
      `The books differ (findings: ${differences}). The findings are stored with reconciliation ${reconciliationId}.`,
    );
  },
});

/** @throws ApprovalRequired */
async function askFor(
  statement: string,
  scope: Readonly<Record<'since' | 'until' | 'corridor', Date | string | undefined>>,
): Promise<never> {
  const digest = createHash('sha256');
  for await (const bytes of bytesOf(statement)) digest.update(bytes);
  const given = { sha256: digest.digest('hex'), ...scope };
  throw new ApprovalRequired({ verb: 'reconcile', given });
}

async function* bytesOf(statement: string): AsyncGenerator<Uint8Array> {
  try {
    const file = statement === STANDARD_INPUT ? process.stdin : createReadStream(statement);
    for await (const chunk of file as AsyncIterable<Buffer>) yield chunk;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UnreadableStatement(1, `${why}.`, { cause });
  }
}
