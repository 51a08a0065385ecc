// `payctl intents resolve`: a manual resolution of a payout, which the workflow verifies.
import { resolvedReason } from '../../domain/intents/manual-resolution';
import { recordResolution } from '../../postgres/payouts/resolutions';
import {
  requestResolution,
  type Resolution,
  type ResolutionAnswer,
} from '../../temporal/operator-updates';
import { AS, checkReason, EVIDENCE, operatorName } from '../operator';
import { printNotice } from '../print';
import { BadOption, Rejection } from '../rejection';
import { systemTime } from '../system-time';
import { noAnswer } from '../temporal';
import { option, required, verb } from '../verb';
import { findIntentStory, paymentOf, type IntentStory } from './story';
import { storyLines } from './story-lines';
import { currentStateOf, requireOpen, withTools, type ActionTools } from './workflow-request';

/** Declined first waits until no order can be on its way, then queries the provider, twice. */
const RESOLVE_TIMEOUT_MS = 45_000;

/** Orders that a reset of our connection cannot stop (decision 129). */
const MAY_ARRIVE_LATE =
  'Danger: double payment. A proxy between worker and provider can still deliver an order that it has accepted, and so can the kernel of a worker that was killed or frozen while it sent, for minutes. Resolve as declined only if the provider states in writing that it will never execute the key.';

interface ResolveOptions {
  readonly outcome: 'paid' | 'declined';
  readonly evidence: string;
  readonly providerIsGone?: boolean;
  readonly as?: string;
  readonly json?: boolean;
}

export const resolve = verb('resolve <intent>', {
  does: `Resolve a payout that needs attention: paid captures the payment, declined fails it and gives the debit back. The first decision counts. Declined is rejected while the provider says paid or pending, and may take half a minute.\n${MAY_ARRIVE_LATE}`,
  options: [
    required('--outcome <outcome>', 'the outcome of the payout').choices(['paid', 'declined']),
    EVIDENCE,
    option(
      '--provider-is-gone',
      'on its letter that the key will never be executed: override that the provider is silent, or has called the payout paid or pending before',
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
    if (outcome === 'declined' && options.json !== true) printNotice(MAY_ARRIVE_LATE);
    return withTools((tools) => resolvePayout(tools, intentId, resolution), RESOLVE_TIMEOUT_MS);
  },
  lines: storyLines,
});

/** The audit trail marks a decision that overrides an earlier answer of the provider. */
function evidenceOf({ outcome, evidence, providerIsGone = false }: ResolveOptions): string {
  if (providerIsGone && outcome === 'paid') {
    throw new BadOption(
      '--provider-is-gone is for --outcome declined: paid is accepted without it.',
    );
  }
  return checkReason('--evidence', providerIsGone ? `[provider is gone] ${evidence}` : evidence);
}

/** @throws Rejection if the payment was not resolved by this call, with what is known */
export async function resolvePayout(
  tools: ActionTools,
  intentId: string,
  asked: Resolution,
): Promise<IntentStory> {
  const story = await findIntentStory(tools.database, intentId);
  await requireOpen(tools, story, 'authorized');
  if (story.attention_since === null && !(isDelayed(story) && asked.outcome === 'declined')) {
    throw new Rejection(
      `${intentId} does not need attention yet: ${story.waiting_for} Nothing was changed.`,
    );
  }
  const payment = paymentOf(story);
  const actor = await recordResolution(tools.database, payment.intentId, asked);
  const resolution = { ...asked, actor };
  const request = { payment, resolution, now: systemTime() };
  const answer = await requestResolution(tools.client, request, tools.deadline).catch(
    (error: unknown) => ({ outcome: 'no_answer', why: `${noAnswer(error)}.` }) as const,
  );
  const after = await findIntentStory(tools.database, intentId);
  if (isResolvedBy(after, resolution)) return after;
  throw notResolved(after, answer);
}

/** Payouts are stopped and this one was not begun: its workflow waits and accepts a resolution. */
function isDelayed({ are_payouts_stopped: areStopped, payout }: IntentStory): boolean {
  return areStopped && payout === null;
}

type WorkflowAnswer = ResolutionAnswer | { readonly outcome: 'no_answer'; readonly why: string };

/** Read from the audit trail of the row, whatever Temporal answered. */
function isResolvedBy(
  { transitions }: IntentStory,
  { outcome, actor, evidence }: Resolution,
): boolean {
  const status = outcome === 'paid' ? 'captured' : 'failed';
  const expected = resolvedReason(evidence);
  return transitions.some(
    (each) => each.to === status && each.actor === actor && each.reason === expected,
  );
}

function notResolved(story: IntentStory, answer: WorkflowAnswer): Rejection {
  const state = `${story.intent_id} is ${story.status}.`;
  switch (answer.outcome) {
    case 'verified':
      // Without a rejection, an attempt of the payout was faster, so no row has the resolution.
      return new Rejection(
        answer.reply.rejection === null
          ? `The resolution was accepted, but not written: ${currentStateOf(story)}.`
          : `${answer.reply.rejection} ${state} Nothing was changed.`,
      );
    case 'not_waiting':
      return new Rejection(
        `The workflow does not wait for a decision at the moment. ${state} ${story.waiting_for}`,
      );
    case 'no_answer':
      return new Rejection(
        `${answer.why} ${state} Check with "payctl intents show ${story.intent_id}". It is safe to repeat this command: the first decision counts.`,
      );
  }
}
