// `payctl intents resolve | confirm | resume | acknowledge` (docs/operations.md): arguments, help, and what is printed.
import { Option, type Command } from 'commander';
import type { OpsConfig } from '../config';
import { isQrPayloadRequired } from '../corridor-settings';
import type { IntentStory } from './intent-story';
import { storyLines } from './intent-story-lines';
import {
  acknowledge,
  confirmByOperator,
  resolvePayout,
  resumePayment,
  type ActionTools,
} from './operator-actions';
import {
  AS_OPTION,
  checkReason,
  KEPT,
  KEPT_IN_TEMPORAL_TOO,
  operatorName,
  REASON_FOR_RUN_OPTION,
  reasonedOperatorOf,
  type ReasonedOptions,
} from './operator';
import { printStory, tell } from './print';
import { BadOption } from './refusal';
import { inSession } from './session';
import { withTemporal } from './temporal';

/** A declaration as declined waits out a sending that may be under way, then asks the provider once more. */
const RESOLVE_PATIENCE_MS = 45_000;

/** What our reset of the connection does not reach (decision 129). */
const MAY_ARRIVE_LATE =
  'Danger: double payment. A proxy between worker and provider can still deliver an order that it has accepted, and so can the kernel of a worker that was killed or frozen while it sent, for minutes. Declare declined on the provider’s written word that it will never execute the key.';

interface Printing {
  readonly json?: boolean;
}

interface ResolveOptions extends Printing {
  readonly outcome: 'paid' | 'declined';
  readonly evidence: string;
  readonly providerIsGone?: boolean;
  readonly as?: string;
}

interface ResumeOptions extends Printing {
  readonly afterRestore?: boolean;
}

interface ConfirmOptions extends Printing, ReasonedOptions {}

export function addOperatorCommands(intents: Command): void {
  intents
    .command('resolve')
    .description(
      `Declare the outcome of a payout that needs attention: paid captures it, declined fails it and gives the debit back. The first decision counts. Declined is refused while the provider says paid or pending, and may take half a minute. ${MAY_ARRIVE_LATE}`,
    )
    .argument('<intent>', 'an intent_id')
    .addOption(
      new Option('--outcome <outcome>', 'what became of the payout')
        .choices(['paid', 'declined'])
        .makeOptionMandatory(),
    )
    .requiredOption('--evidence <text>', `how you know; ${KEPT_IN_TEMPORAL_TOO}`)
    .option(
      '--provider-is-gone',
      'that it will never answer again: its silence is taken for no contradiction although it has called the payout paid or pending before',
    )
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runResolve);
  intents
    .command('confirm')
    .description(
      'Confirm a created intent without a token, for the payer. Workers in prod allow it only with OPERATOR_CONFIRM=true. Refused where the corridor requires the scanned code, since it carries none.',
    )
    .argument('<intent>', 'an intent_id')
    .requiredOption(...REASON_FOR_RUN_OPTION)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runConfirm);
  intents
    .command('resume')
    .description(
      'Have the run of an open payment look at its row again now, and ask the provider again about a contrary amount. An unknown payout is asked about every minute in any case. A run that is gone is started.',
    )
    .argument('<intent>', 'an intent_id')
    .option(
      '--after-restore',
      'begin a run although one had completed and has been deleted: after a restore, once you have compared (docs/restore.md)',
    )
    .option('--json', 'print JSON')
    .action(runResume);
  addAcknowledge(intents);
}

function addAcknowledge(intents: Command): void {
  intents
    .command('acknowledge')
    .description(
      'End the attention of a payment that is over, once what it tells has been dealt with. It stays in the story.',
    )
    .argument('<intent>', 'an intent_id')
    .requiredOption('--reason <text>', `what was done about it; ${KEPT}`)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runAcknowledge);
}

async function runAcknowledge(intentId: string, options: ConfirmOptions): Promise<void> {
  const operator = reasonedOperatorOf(options);
  print(await inSession(({ database }) => acknowledge(database, intentId, operator)), options);
}

async function runResolve(intentId: string, options: ResolveOptions): Promise<void> {
  const resolution = {
    outcome: options.outcome,
    actor: operatorName(options.as),
    evidence: evidenceOf(options),
    ...(options.providerIsGone === true && { isProviderGone: true }),
  };
  if (options.outcome === 'declined' && options.json !== true) tell(MAY_ARRIVE_LATE);
  const story = await act(
    (tools) => resolvePayout(tools, intentId, resolution),
    RESOLVE_PATIENCE_MS,
  );
  print(story, options);
}

/** What overrides the provider's own word stands in the audit trail as that. */
function evidenceOf({ outcome, evidence, providerIsGone = false }: ResolveOptions): string {
  if (providerIsGone && outcome === 'paid') {
    throw new BadOption(
      '--provider-is-gone is for --outcome declined: paid is accepted without it.',
    );
  }
  return checkReason('--evidence', providerIsGone ? `[provider is gone] ${evidence}` : evidence);
}

async function runConfirm(intentId: string, options: ConfirmOptions): Promise<void> {
  const operator = reasonedOperatorOf(options);
  const story = await act((tools, config) => {
    const settings = { isQrPayloadRequired: isQrPayloadRequired(config) };
    return confirmByOperator({ ...tools, ...settings }, intentId, operator);
  });
  print(story, options);
}

async function runResume(intentId: string, options: ResumeOptions): Promise<void> {
  const { afterRestore: isAfterRestore = false } = options;
  print(await act((tools) => resumePayment(tools, intentId, isAfterRestore)), options);
}

function act(
  work: (tools: ActionTools, config: OpsConfig) => Promise<IntentStory>,
  patienceMs?: number,
): Promise<IntentStory> {
  return inSession(({ config, database }) =>
    withTemporal(config, (temporal) => work({ ...temporal, database }, config), patienceMs),
  );
}

function print(story: IntentStory, { json }: Printing): void {
  printStory(story, json === true, () => storyLines(story));
}
