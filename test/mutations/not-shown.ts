// Mutations of code that lives execute, and that no life shows (docs/simulation.md). The reasons
// are read from the code; each mutation has a test that detects it.

/** By reason. */
export const NOT_SHOWN: Readonly<Record<string, readonly string[]>> = {
  'no life forges what Temporal says': [
    'a capture needs no answer of the provider in our rows',
    'a failure needs no answer of the provider in our rows',
    'a workflow adopts the capture that the result of an activity names',
    'a payable row is taken for a contradiction if Temporal says not authorized',
    'a cancel needs no answer to its own query',
    'a resolution needs no record of payctl',
    'a resolution is verified although payctl did not record that the provider is gone',
    'a workflow can put the answer of the provider into its command',
    'an attempt keeps the answer to the attempt before',
    'the answer to an earlier attempt replaces a later one',
  ],
  'masked by the condition of each statement on the status': [
    'the transition table lets an expired intent be authorized',
  ],
  'masked by the guards of FAIL': [
    'a workflow adopts a row that contradicts it',
    'a payout is resolved as declined although the provider has accepted it since',
    'a payout is resolved as declined although an attempt has begun since the verification',
    'a payout is resolved as declined although it was sent since the verification',
    'an attempt begins while the payout is locked',
    'a payout is sent while it is locked',
    'a payout is resolved as declined, as never begun, although it has begun since',
    'a terminal row that contradicts its workflow does not need attention',
  ],
  'masked by the number of the attempt': [
    'a sending is recorded while an earlier one may still arrive',
    '"unknown key" counts although an earlier sending could still arrive after the query',
  ],
  'masked by the length of the history of a reset workflow': [
    'a reset workflow does not query what the run before the reset has sent',
  ],
  'not met in 700 lives': [
    'a payment expires by its row alone although its workflow has confirmed it',
    'a late attempt decides the state while another attempt is under way',
  ],
  'needs a restore, a termination and a confirm before the next tick': [
    'a row that was created again is paid without a provider query',
    'a first sending skips the query while the restore watch does not tick',
    'a payout is sent without a query between a failover and the next tick',
    'an order is sent right after a failover that may have lost an earlier one',
    'the payout of an older intent is sent without a query after the first tick that follows a failover',
  ],
  'needs two frozen workers': ['an attempt sends although a later attempt has begun'],
  'masked by the guard of a sending after a failover': [
    'a payout is sent at once although restored rows may lack a sending that can still arrive',
  ],
  'needs a local activity that outlasts a heartbeat': [
    'a workflow task repeated after a heartbeat sends without a query',
  ],
  'nothing else ends a payment before attention is raised': [
    'the activity returns captured although the row says otherwise',
  ],
  'needs a row that is lost between verification and transition': [
    'a resolution that was never written is rechecked',
  ],
  'masked by the workflow, which debits, pays out, captures and refunds in this order': [
    'a payout needs no debit',
    'a capture needs no debit',
    'a refund needs no capture',
  ],
  'the provider of a life never forgets a payout': [
    'a payout is sent again although the provider has accepted it',
  ],
  'masked by CANCEL_AUTHORIZED, which needs a payout that has not begun': [
    'a locked payout that has begun counts as not begun',
  ],
  'masked by the recheck or by the query of each cancel': [
    'a payment cancelled on an answer of the provider is never rechecked',
    'a payment held up by a stop is cancelled although the provider has the payout',
    'a debit is released while a payout that the rows have lost may still arrive',
  ],
  'masked by the rejection of silence where the row has no attempt': [
    'a payout is resolved as declined because its row has lost the sending',
  ],
  'masked by CANCEL_AUTHORIZED and the restore watch': [
    'a workflow that starts beside an authorized row releases the debit of a paid payout',
  ],
  'masked by the next attempt, which writes the row again': [
    'a capture does not record a payout that a restored row has lost',
  ],
  'no effect but a delay or a repeat': [
    'the workflow writes a capture again that the payout activity wrote',
    'a row without the writes of its workflow does not count as a loss',
    'a cancel that a stop for a restore rejected is repeated at once',
    'the end of a stop does not bring forward the payments that it held up',
    'a workflow held up by a stop is reminded during the stop',
    'the webhook event of a payment that expires with others waits for its workflow',
  ],
  'no life is restored twice to one count of ticks': [
    'the mark of a tick is ignored where the tick counts agree',
    'every tick stores the same mark',
  ],
  'each tick of a life is answered': ['a repeated tick replaces the mark that it is compared with'],
  'a worker of a life looks twice, one look after the other, and each is answered': [
    'a worker takes any mark for its own',
    'a worker never replaces its mark',
    'a worker stops payouts at each look after a loss, also once they are allowed',
    'a replacement whose answer was lost counts as not made',
    'a replacement whose answer was lost counts as made',
    'marks that were replaced long ago count for ever',
    'a look that was overtaken by another counts as a loss',
    'a look may replace the mark of a later one',
    'the row of a worker that is alive is deleted',
    'a worker that was frozen for a day takes its deleted row for a loss',
    'a failed look of the guard is not counted',
  ],
  'the Postgres of a life is not restarted': [
    'a payment reads expired before a restarted Postgres was compared',
  ],
  'lives have one installation': ['a workflow start of another installation stops payouts'],
  'lives restore no Temporal': [
    'a lifted stop for a Temporal restore counts as one for a Postgres loss',
  ],
  'masked by the creation time of the row': ['a workflow accepts a row with another amount'],
  'a reconciliation ends a life': [
    'a clean reconciliation lifts every stop',
    'the next status ends what a reconciliation has found',
  ],
  'no life replaces the URL of its endpoint': [
    'answers of a replaced URL disable the new endpoint',
  ],
  'masked by the phases of the workflow': [
    'an intent is cancelled after the payout was sent',
    'a cancel that arrived in time is ignored and the payout is sent',
    'a cancel accepted before the confirm was written is ignored',
  ],
  'one statement at a time': [
    'readers say expired while a commit made in time is under way',
    'a confirm reads the clock before it holds the row',
    'the batch statement waits for a row that another transaction holds',
    'two pollers claim the same payments',
    'a repayment sums the ledger while a prune moves amounts in it',
    'an authorize waits for another payment that moves the balance',
    'two confirms at once see the same room in the day',
    'GET reports expired while a commit made before the deadline still waits',
  ],
  'Temporal deletes no workflow in a life': [
    'an open row whose completed workflow Temporal has deleted gets a new workflow',
  ],
  'masked by the authorize, which needs a token of the payer': [
    'a confirm update without a token is accepted',
  ],
  'no life resolves in the name of the payer': [
    'a resolution in the name of the payer is accepted',
  ],
  'masked by the check of the update': ['the audit trail names the payer without a token'],
  'fixed settings in lives': [
    'an operator confirms where workers do not allow it',
    'an operator confirms without a payee where the corridor requires one',
  ],
  'masked by the trigger that checks the history': [
    'payments that expire together get no history row',
  ],
  'the partner of a life does not want this event': [
    'payments that expire together write no webhook event',
  ],
  'masked by the claim': [
    'payments of any status expire together',
    'a payment that needs attention expires with others',
  ],
  'one payment at a time': [
    'the workflows of payments with one deadline all wake at the deadline',
    'webhooks may occupy all workflow tasks',
    'pending events are sent to a disabled endpoint',
    'events of a disabled endpoint are not written',
    'the third 410 in a row does not disable the endpoint',
    'five days of failure do not disable the endpoint',
  ],
  'lives are not pruned': [
    'the sums of a prune replace those of an earlier one',
    'a payment is pruned although its payout has no answer',
    'a refund that waited for a prune is booked',
    'a prune forgets the key of a create',
  ],
  'masked by the constraint of the balance': [
    'an authorize also debits an account that has too little',
  ],
  'masked by the key of the transfer': ['an authorize debits again where a debit exists'],
  'lives have no limits of partners': [
    'an authorize above the limit of the day moves',
    'a failed payment stays in its day',
    'a payment that no day counted is given back',
    'a create above the limit of a second is created',
    'a token that was refused for the day is refused for good',
  ],
  'masked by the webhook poller': ['a webhook that its workflow task did not deliver is abandoned'],
  'not checked after a freeze: the lease has expired': [
    'a webhook is claimed while another worker sends it',
  ],
  'masked by the lease': ['the poller sends what the workflow of a payment is about to send'],
  'lives have no signatures': ['a timestamp 15 minutes off is accepted'],
};
