// The checker is checked: of every violation made by hand it finds the invariant that it violates (architecture, section 8).
import type { EventFacts } from '../evidence';
import {
  aBody,
  aCreated,
  AUTHORIZED,
  ATTEMPT,
  anEvidence,
  anOpenEvidence,
  anOpenRow,
  aReceived,
  aRow,
  aRun,
  CAPTURED,
  EVENT,
  FAILED,
  ID,
} from './evidence-of';
import { violatedIn, type Violation } from './violated';

function aReading() {
  const [reading] = anEvidence().readings.values();
  if (reading === undefined) throw new Error('a healthy run has a reading');
  return reading;
}

const PATHS: readonly Violation[] = [
  [
    'a 201 that is not there',
    'every 201 is an intent, as it was told',
    anEvidence({ answers: [aCreated({ intentId: 'pi_lost' })] }),
  ],
  [
    'a 201 of another amount',
    'every 201 is an intent, as it was told',
    anEvidence({ answers: [aCreated({ text: aBody('created', 1) })] }),
  ],
  [
    'an edge that the table does not have',
    'every intent takes a path of the table',
    anEvidence({
      row: aRow({
        transitions: [AUTHORIZED, FAILED, { ...CAPTURED, from: 'failed', atMs: 1_000_300 }],
      }),
    }),
  ],
  [
    'a step left out',
    'every intent takes a path of the table',
    anEvidence({ row: aRow({ transitions: [CAPTURED] }) }),
  ],
  [
    'a status without its step',
    'every intent takes a path of the table',
    anEvidence({ row: aRow({ transitions: [AUTHORIZED] }) }),
  ],
  [
    'a payment left open that is nobody’s to decide',
    'every intent has ended, or waits for people',
    anOpenEvidence(anOpenRow(1_250)),
  ],
  [
    'GET that says something else',
    'GET says what the row says',
    anEvidence({ readings: new Map([[ID, { ...aReading(), status: 'authorized' }]]) }),
  ],
  [
    'GET that does not answer',
    'GET says what the row says',
    anEvidence({
      readings: new Map([[ID, { ...aReading(), httpStatus: 404, status: undefined }]]),
    }),
  ],
];

const withEvent = (overrides: Partial<EventFacts>) =>
  anEvidence({ row: aRow({ events: aRow().events.map((event) => ({ ...event, ...overrides })) }) });

const WEBHOOKS: readonly Violation[] = [
  [
    'no webhook',
    'each settled or failed intent has its webhook, with one id',
    anEvidence({ inbox: [] }),
  ],
  [
    'a webhook under two ids',
    'each settled or failed intent has its webhook, with one id',
    anEvidence({ inbox: [aReceived(), aReceived('captured', { webhookId: 'evt_other' })] }),
  ],
  [
    'a webhook under an id of its own',
    'each settled or failed intent has its webhook, with one id',
    anEvidence({ inbox: [aReceived('captured', { webhookId: 'evt_other' })] }),
  ],
  [
    'a signature that does not hold',
    'a webhook is signed and tells what happened',
    anEvidence({
      inbox: [aReceived(), aReceived('captured', { event: null, webhookId: 'evt_x' })],
    }),
  ],
  [
    'a webhook of what did not happen',
    'a webhook is signed and tells what happened',
    anEvidence({ inbox: [aReceived(), aReceived('failed', { webhookId: 'evt_x' })] }),
  ],
  [
    'a webhook to another partner',
    'a webhook is signed and tells what happened',
    anEvidence({ inbox: [aReceived(), aReceived('captured', { partnerId: 'saigon-rides' })] }),
  ],
  [
    'a webhook that is missed for ever',
    'every webhook event is delivered in the end',
    withEvent({ state: 'missed' }),
  ],
  [
    'a webhook sent by two at once',
    'of one webhook one attempt is under way at a time',
    withEvent({ made: [ATTEMPT, { fromMs: ATTEMPT.fromMs + 4, toMs: ATTEMPT.toMs }] }),
  ],
  [
    'one id with two bodies',
    'one webhook id is one body',
    anEvidence({
      inbox: [aReceived(), aReceived('captured', { body: 'other', webhookId: EVENT })],
    }),
  ],
];

const RUNS: readonly Violation[] = [
  [
    'a run that failed',
    'no execution ended Failed',
    anEvidence({ runs: [aRun(), aRun({ status: 'FAILED' })] }),
  ],
  [
    'a run that timed out',
    'no execution ended Failed',
    anEvidence({ runs: [aRun(), aRun({ status: 'TIMED_OUT' })] }),
  ],
  [
    'a workflow that threw',
    'no workflow broke',
    anEvidence({ runs: [aRun({ brokenTasks: ['it threw'] })] }),
  ],
  [
    'a run that ended as something else',
    'every run agrees with its row',
    anEvidence({ runs: [aRun({ result: 'failed' })] }),
  ],
  ['no run at all', 'every run agrees with its row', anEvidence({ runs: [] })],
  [
    'an open payment for which nothing runs',
    'every run agrees with its row',
    { ...anOpenEvidence(), runs: [aRun({ status: 'TERMINATED', result: null, cents: 40_005 })] },
  ],
];

describe.each([
  ['paths', PATHS],
  ['webhooks', WEBHOOKS],
  ['runs', RUNS],
])('%s', (_chapter, violations) => {
  it.each(violations)('%s violates "%s"', (_what, invariant, evidence) => {
    expect(violatedIn(evidence)).toContain(invariant);
  });
});
