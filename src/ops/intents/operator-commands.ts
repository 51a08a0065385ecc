// `payctl intents refund | resolve | confirm | resume | acknowledge | close-lost` (docs/operations.md): arguments, help, and what
// is printed.
import { isQrPayloadRequired } from '../../corridor-settings';
import { formatUsd } from '../../domain/money';
import { closeLostPayment } from './close-lost-payment';
import type { IntentStory } from './story';
import { storyLines } from './story-lines';
import {
  AS,
  checkReason,
  KEPT,
  KEPT_IN_TEMPORAL_TOO,
  operatorName,
  operatorOf,
  reasonedOperatorOf,
  type OperatorOptions,
  type ReasonedOptions,
} from '../operator';
import {
  acknowledgeIntent,
  confirmByOperator,
  resolvePayout,
  resumePayment,
  type ActionTools,
} from './operator-actions';
import { tell } from '../print';
import { BadOption } from '../rejection';
import { refundIntent } from './refund-intent';
import type { Session } from '../session';
import { withTemporal } from '../temporal';
import { option, required, verb } from '../verb';

const REASON_FOR_WORKFLOW = ['--reason <text>', `why; ${KEPT_IN_TEMPORAL_TOO}`] as const;
const EVIDENCE = required('--evidence <text>', `how you know; ${KEPT_IN_TEMPORAL_TOO}`);

export const refund = verb('refund <intent>', {
  does: 'Give a captured payment back, in full and once. It is refunded when the command returns; the webhook follows by itself.',
  options: [option(...REASON_FOR_WORKFLOW), AS],
  work(intentId: string, options: OperatorOptions) {
    const order = { intentId, ...operatorOf(options) };
    return withTools((tools) => refundIntent(tools, order));
  },
  lines(story) {
    const { amount_usd_cents: cents, corridor, webhooks } = story;
    const isTold = webhooks.some(({ type }) => type === 'payment_intent.refunded');
    return [
      ...storyLines(story),
      '',
      `${formatUsd(cents)} are back in the holding account; the provider of ${corridor} owes them.`,
      isTold ? 'The partner is told by webhook.' : 'The partner has no webhook for it.',
    ];
  },
});

/** A declaration as declined waits out a sending that may be under way, then asks the provider once more. */
const RESOLVE_TIMEOUT_MS = 45_000;

/** What our reset of the connection does not reach (decision 129). */
const MAY_ARRIVE_LATE =
  'Danger: double payment. A proxy between worker and provider can still deliver an order that it has accepted, and so can the kernel of a worker that was killed or frozen while it sent, for minutes. Declare declined on the provider’s written word that it will never execute the key.';

interface ResolveOptions {
  readonly outcome: 'paid' | 'declined';
  readonly evidence: string;
  readonly providerIsGone?: boolean;
  readonly as?: string;
  readonly json?: boolean;
}

export const resolve = verb('resolve <intent>', {
  does: `Declare the outcome of a payout that needs attention: paid captures it, declined fails it and gives the debit back. The first decision counts. Declined is refused while the provider says paid or pending, and may take half a minute. ${MAY_ARRIVE_LATE}`,
  options: [
    required('--outcome <outcome>', 'what became of the payout').choices(['paid', 'declined']),
    EVIDENCE,
    option(
      '--provider-is-gone',
      'that it will never answer again: its silence is taken for no contradiction although it has called the payout paid or pending before',
    ),
    AS,
  ],
  work(intentId: string, options: ResolveOptions) {
    const { outcome, providerIsGone } = options;
    const resolution = {
      outcome,
      actor: operatorName(options.as),
      evidence: evidenceOf(options),
      ...(providerIsGone === true && { isProviderGone: true }),
    };
    if (outcome === 'declined' && options.json !== true) tell(MAY_ARRIVE_LATE);
    return withTools((tools) => resolvePayout(tools, intentId, resolution), RESOLVE_TIMEOUT_MS);
  },
  lines: storyLines,
});

/** What overrides the provider's own word stands in the audit trail as that. */
function evidenceOf({ outcome, evidence, providerIsGone = false }: ResolveOptions): string {
  if (providerIsGone && outcome === 'paid') {
    throw new BadOption(
      '--provider-is-gone is for --outcome declined: paid is accepted without it.',
    );
  }
  return checkReason('--evidence', providerIsGone ? `[provider is gone] ${evidence}` : evidence);
}

export const confirm = verb('confirm <intent>', {
  does: 'Confirm a created intent without a token, for the payer. Workers in prod allow it only with OPERATOR_CONFIRM=true. Refused where the corridor requires the scanned code, since it carries none.',
  options: [required(...REASON_FOR_WORKFLOW), AS],
  work(intentId: string, options: ReasonedOptions) {
    const operator = reasonedOperatorOf(options);
    return withTools(({ config, ...tools }) => {
      const settings = { isQrPayloadRequired: isQrPayloadRequired(config) };
      return confirmByOperator({ ...tools, ...settings }, intentId, operator);
    });
  },
  lines: storyLines,
});

export const resume = verb('resume <intent>', {
  does: 'Have the run of an open payment look at its row again now, and ask the provider again about a contrary amount. An unknown payout is asked about every minute in any case. A run that is gone is started.',
  options: [
    option(
      '--after-restore',
      'begin a run although one had completed and has been deleted: after a restore, once you have compared (docs/restore.md)',
    ),
  ],
  work: (intentId: string, { afterRestore }: { readonly afterRestore?: boolean }) =>
    withTools((tools) => resumePayment(tools, intentId, afterRestore)),
  lines: storyLines,
});

export const acknowledge = verb('acknowledge <intent>', {
  does: 'End the attention of a payment that is over, once what it tells has been dealt with. It stays in the story.',
  options: [required('--reason <text>', `what was done about it; ${KEPT}`), AS],
  work(intentId: string, options: ReasonedOptions) {
    const operator = reasonedOperatorOf(options);
    return ({ database }) => acknowledgeIntent(database, intentId, operator);
  },
  lines: storyLines,
});

export const closeLost = verb('close-lost <intent>', {
  does: 'End the workflow of a payment whose row Postgres has lost, once you know what became of it at the provider. It books nothing: settle by hand what was paid. A create repeated under its idempotency key can begin the same payment again.',
  options: [EVIDENCE, AS],
  work(intentId: string, { as, evidence }: { readonly evidence: string; readonly as?: string }) {
    const closing = { actor: operatorName(as), evidence: checkReason('--evidence', evidence) };
    return async (session) => {
      await closeLostPayment(session, intentId, closing);
      return { intent_id: intentId, closed_by: closing.actor };
    };
  },
  lines: ({ intent_id: id }) => [`The workflow of ${id} is closed. Nothing was booked.`],
});

function withTools(
  work: (tools: ActionTools & Pick<Session, 'config'>) => Promise<IntentStory>,
  timeoutMs?: number,
): (session: Session) => Promise<IntentStory> {
  return ({ config, database }) =>
    withTemporal(config, (temporal) => work({ ...temporal, database, config }), timeoutMs);
}
