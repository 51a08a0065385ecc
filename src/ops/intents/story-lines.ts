// The story of a payment for people: sections of tables, times in UTC, amounts in dollars.
import { stepKey } from '../../domain/ids';
import { formatLocal, formatUsd, type Cost } from '../../domain/money';
import { knownIntentId } from '../../postgres/intents/row';
import type { PayoutRow } from '../../postgres/reports/intent-story';
import { shortType } from '../webhooks/endpoint-view';
import type { IntentStory, StoryEvent } from './story';
import { timelineOf } from './timeline';
import type { WorkflowState } from './workflow-state';
import {
  indented,
  printable,
  recordLines,
  section,
  tableLines,
  tableOr,
  toTheSecond,
  WIDTH,
  wrapped,
} from '../layout';

const SECTION_WIDTH = WIDTH - 4;

type Shown = IntentStory & { readonly workflow?: WorkflowState | null };

export function storyLines(story: Shown): readonly string[] {
  return [
    ...recordLines(headOf(story)),
    ...workflowLines(story.workflow ?? null),
    ...section('Timeline', tableLines(timelineOf(story), SECTION_WIDTH)),
    ...section('Payout', story.payout === null ? ['None was sent.'] : payoutLines(story)),
    ...section('Webhooks', webhookLines(story.webhooks)),
  ];
}

/** The provider knows the payout by its key. */
function payoutLines({ intent_id: id, payout }: IntentStory): readonly string[] {
  if (payout === null) return [];
  const { status, attempts, reference, local, failure_code: why, account, cost } = payout;
  return recordLines({
    ...{ key: stepKey(knownIntentId(id), 'payout'), status, attempts },
    ...(account !== null && { account }),
    ...(reference !== null && { "provider's id": printable(reference) }),
    ...proposedLines(payout),
    ...(payout.bank_reference !== null && { "bank's id": printable(payout.bank_reference) }),
    ...(local !== null && { 'payee gets': formatLocal(local) }),
    ...(cost !== null && costLines(cost)),
    ...(why !== null && { because: why }),
  });
}

function proposedLines({ reference, proposed_reference: id, proposed_by: by }: PayoutRow) {
  return id === null || reference !== null
    ? {}
    : { 'id to ask for': `${printable(id)}, named by ${by ?? 'nobody'}` };
}

/** With all its digits. */
function costLines({ currency, debited, fee, rate }: Cost) {
  return {
    cost: `${debited} ${currency}${fee === null ? '' : `, ${fee} of it the fee`}`,
    ...(rate !== null && { rate }),
  };
}

/** Left out while the workflow does what it should. */
function workflowLines(workflow: WorkflowState | null): readonly string[] {
  if (workflow === null) return [];
  const { unknown, failing_task: task, retrying, ui_url: url } = workflow;
  const sentences = [
    ...(unknown === null ? [] : [`${unknown}.`]),
    ...(task === null ? [] : [failingSentence(task)]),
    ...retrying.map(retryingSentence),
  ];
  if (sentences.length === 0) return [];
  const lines = sentences.flatMap((sentence) => wrapped(printable(sentence), SECTION_WIDTH));
  return section('Workflow', url === null ? lines : [...lines, url]);
}

/** Failures of a payout that quote the provider (activities/failures.ts). */
const BY_PROVIDER = ['PayoutUnknown', 'PayoutPending'];

function retryingSentence(retrying: WorkflowState['retrying'][number]): string {
  const { activity, attempts, failure_type: type, last_failure: why } = retrying;
  return BY_PROVIDER.includes(type ?? '')
    ? `The provider's last answer: ${why}`
    : `${activity} has failed ${attempts} times and is tried again: ${why}`;
}

function failingSentence({ attempts, cause, message }: NonNullable<WorkflowState['failing_task']>) {
  return `Its tasks are failing (${attempts} attempts, ${cause}): ${message}. Nothing goes on until workers can complete them; they are tried again by themselves. See the log of the workers.`;
}

function headOf(story: IntentStory) {
  return {
    intent: story.intent_id,
    status: story.status,
    'waits for': story.waiting_for,
    amount: `${formatUsd(story.amount_usd_cents)} to ${story.corridor}`,
    partner: story.partner_id,
    'idempotency key': story.idempotency_key,
    created: story.created_at,
    deadline: story.expires_at,
  };
}

function webhookLines(events: readonly StoryEvent[]): readonly string[] {
  if (events.length === 0) return ['None.'];
  return events.flatMap((event) => recordLines(eventHead(event), SECTION_WIDTH));
}

/** With its attempts. */
export function eventLines(event: StoryEvent): readonly string[] {
  return [
    ...recordLines(eventHead(event), SECTION_WIDTH),
    ...tableOr(event.attempts, 'No attempt has ended.', SECTION_WIDTH).map(indented),
  ];
}

function eventHead({ event_id, type, state, next_attempt_at: next, finished_at }: StoryEvent) {
  const when = finished_at ?? next;
  const at =
    when === null
      ? ''
      : `${finished_at === null ? ', next attempt at' : ' at'} ${toTheSecond(when)}`;
  return { [event_id]: `${shortType(type)}, ${state}${at}` };
}
