// Deliberate mistakes, each with the test that must catch it: what keeps the promise that money never moves twice, never
// gets lost and no outcome is guessed (architecture, section 1), that no call goes inwards, and that each partner is told. A
// new rule about money is an entry in one of the lists.
import { ADDRESS_MISTAKES } from './catalogue/addresses';
import { CHAOS_MUTATIONS } from './catalogue/chaos';
import { CHECKOUT_MISTAKES } from './catalogue/checkout';
import { ENVIRONMENT_MISTAKES } from './catalogue/environments';
import { EXPIRY_MISTAKES } from './catalogue/expiry';
import { LEDGER_MISTAKES, REPLAY_MISTAKES } from './catalogue/ledger';
import { LOST_COMMIT_MISTAKES } from './catalogue/lost-commits';
import type { TestMutation } from './mutation';
import { ATTEMPT_MISTAKES } from './catalogue/attempts';
import { PAYOUT_MISTAKES } from './catalogue/payouts';
import { RECONCILE_MISTAKES } from './catalogue/reconcile';
import { RESTORE_MISTAKES } from './catalogue/restores';
import { STOP_MISTAKES } from './catalogue/stops';
import { TABLE_MISTAKES, TRANSITION_MISTAKES } from './catalogue/transitions';
import { WEBHOOK_MISTAKES } from './catalogue/webhooks';

export { CHAOS_MUTATIONS };

export const TEST_MUTATIONS: readonly TestMutation[] = [
  ...TABLE_MISTAKES,
  ...ATTEMPT_MISTAKES,
  ...PAYOUT_MISTAKES,
  ...STOP_MISTAKES,
  ...RESTORE_MISTAKES,
  ...LOST_COMMIT_MISTAKES,
  ...RECONCILE_MISTAKES,
  ...TRANSITION_MISTAKES,
  ...EXPIRY_MISTAKES,
  ...LEDGER_MISTAKES,
  ...REPLAY_MISTAKES,
  ...ENVIRONMENT_MISTAKES,
  ...ADDRESS_MISTAKES,
  ...WEBHOOK_MISTAKES,
  ...CHECKOUT_MISTAKES,
];
