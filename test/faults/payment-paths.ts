// The ways a payment can go, each with the steps it takes and how it must end (architecture, section 3).
import { FUNDS_USD_CENTS } from '../support/payment-world';
import type { ScriptedOutcome } from '../support/scripted-provider';
import type { DebitOfPath, Step } from './fault-world';
import {
  afterTheDeadline,
  cancelled,
  cancelledWhileDebited,
  cancelledWhileHeld,
  confirmed,
  declaredBy,
  heldUp,
  leftAlone,
  leftUnknown,
  paidAfterAll,
  pickedUp,
  refunded,
  type Drive,
  type Later,
} from './payment-drives';
import type { PaymentEnding } from './payment-endings';

const CENTS = 1_250;
/** More than the holding account of a payment world has. */
const TOO_MANY_CENTS = FUNDS_USD_CENTS + 1;

export interface PaymentPath {
  readonly name: string;
  readonly cents: number;
  readonly provider: readonly ScriptedOutcome[];
  readonly debit: DebitOfPath;
  /** Each is failed before and after its effect. */
  readonly steps: readonly Step[];
  readonly drive: Drive;
  readonly later?: Later;
  readonly ending: PaymentEnding;
}

const AUTHORIZED = 'created>authorized by payer';
const DEBIT = `debit ${CENTS} holding>held`;
const CAPTURE = `capture ${CENTS} held>settlement:th_qrpay`;
const RELEASE = `release ${CENTS} held>holding`;

const CAPTURED: PaymentEnding = {
  run: 'captured',
  told: ['captured'],
  status: 'captured',
  attention: null,
  transitions: ['authorized>captured by system', AUTHORIZED],
  transfers: [CAPTURE, DEBIT],
  payout: 'paid',
  sent: 1,
  events: ['captured delivered'],
  posts: 1,
};
const FAILED: PaymentEnding = {
  ...CAPTURED,
  run: 'failed',
  told: ['failed'],
  status: 'failed',
  transitions: ['authorized>failed by system', AUTHORIZED],
  transfers: [DEBIT, RELEASE],
  payout: 'declined',
  events: ['failed delivered'],
};
const CANCELLED: PaymentEnding = {
  ...CAPTURED,
  run: 'cancelled',
  told: ['cancelled'],
  status: 'cancelled',
  transitions: ['created>cancelled by partner'],
  transfers: [],
  payout: null,
  sent: 0,
  events: ['cancelled delivered'],
};

const PAID = { cents: CENTS, provider: ['paid'], debit: 'joined', drive: confirmed } as const;
const UNKNOWN = { ...PAID, provider: ['unknown'], drive: leftUnknown } as const;
const SETTLING = ['recordTransition authorize', 'payOut'] as const;

export const PATHS: readonly PaymentPath[] = [
  {
    ...PAID,
    name: 'captured',
    steps: [...SETTLING, 'recordTransition capture', 'deliverWebhook captured'],
    ending: CAPTURED,
  },
  {
    ...PAID,
    name: 'captured, its debit a step of its own',
    debit: 'alone',
    steps: ['recordTransition authorize', 'debitHoldingAccount', 'payOut'],
    ending: CAPTURED,
  },
  {
    ...PAID,
    name: 'declined',
    provider: ['declined'],
    steps: [...SETTLING, 'recordTransition fail', 'deliverWebhook failed'],
    ending: FAILED,
  },
  {
    ...PAID,
    name: 'short of funds',
    cents: TOO_MANY_CENTS,
    steps: [
      'recordTransition authorize',
      'debitHoldingAccount',
      'recordTransition fail',
      'deliverWebhook failed',
    ],
    ending: { ...FAILED, transfers: [], payout: null, sent: 0 },
  },
  {
    ...PAID,
    name: 'cancelled before it was confirmed',
    steps: ['recordTransition cancel', 'deliverWebhook cancelled'],
    drive: cancelled,
    ending: CANCELLED,
  },
  {
    ...PAID,
    name: 'cancelled while it was debited',
    debit: 'held',
    steps: [
      'recordTransition authorize',
      'debitHoldingAccount',
      'recordTransition cancel',
      'deliverWebhook cancelled',
    ],
    drive: cancelledWhileDebited,
    ending: {
      ...CANCELLED,
      told: ['cancelled', 'cancelled'],
      transitions: ['authorized>cancelled by partner', AUTHORIZED],
      transfers: [DEBIT, RELEASE],
    },
  },
  {
    ...PAID,
    name: 'cancelled while payouts were stopped',
    provider: ['not_found'],
    steps: [...SETTLING, 'isKnownUnpaid', 'recordTransition cancel', 'deliverWebhook cancelled'],
    drive: heldUp,
    later: cancelledWhileHeld,
    ending: {
      ...CANCELLED,
      told: ['cancelled'],
      transitions: ['authorized>cancelled by partner', AUTHORIZED],
      transfers: [DEBIT, RELEASE],
    },
  },
  {
    ...PAID,
    name: 'expired',
    steps: ['recordTransition expire', 'deliverWebhook expired'],
    drive: leftAlone,
    later: afterTheDeadline,
    ending: {
      ...CANCELLED,
      run: 'expired',
      told: [],
      status: 'expired',
      transitions: ['created>expired by system'],
      events: ['expired delivered'],
    },
  },
  {
    ...PAID,
    name: 'picked up from its row, whose run had not heard of the confirm',
    steps: ['readStanding', 'debitHoldingAccount', 'payOut', 'recordTransition capture'],
    drive: pickedUp,
    ending: { ...CAPTURED, told: [] },
  },
  {
    ...UNKNOWN,
    name: 'unknown for twenty minutes, then paid',
    steps: [...SETTLING, 'setAttention', 'payOutSlowly', 'recordTransition capture'],
    later: paidAfterAll,
    ending: { ...CAPTURED, told: ['authorized'] },
  },
  {
    ...UNKNOWN,
    name: 'unknown, then declared paid by operations',
    steps: ['setAttention', 'judgeResolution', 'recordTransition capture', 'compareResolved'],
    later: declaredBy('ann', 'paid'),
    ending: {
      ...CAPTURED,
      told: ['authorized', 'captured'],
      transitions: ['authorized>captured by ann', AUTHORIZED],
    },
  },
  {
    ...UNKNOWN,
    name: 'unknown, then declared declined by operations',
    steps: ['setAttention', 'judgeResolution', 'recordTransition fail', 'compareResolved'],
    later: declaredBy('ann', 'declined'),
    ending: {
      ...FAILED,
      told: ['authorized', 'failed'],
      transitions: ['authorized>failed by ann', AUTHORIZED],
    },
  },
  {
    ...PAID,
    name: 'captured, then refunded',
    steps: ['recordTransition refund', 'deliverWebhook refunded'],
    drive: refunded,
    ending: {
      ...CAPTURED,
      told: ['captured', 'refunded'],
      status: 'refunded',
      transitions: ['authorized>captured by system', 'captured>refunded by ann', AUTHORIZED],
      transfers: [CAPTURE, DEBIT, `refund ${CENTS} owed:th_qrpay>holding`],
      events: ['captured delivered', 'refunded delivered'],
      posts: 2,
    },
  },
];
