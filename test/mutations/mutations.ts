// Deliberate mistakes, each with the test that must catch it: what keeps the promise that money never moves twice, never
// gets lost and no outcome is guessed (architecture, section 1), that no call goes inwards, and that each partner is told. A
// new rule about money is an entry in one of the lists.
import { ADDRESS_MISTAKES } from './address-mistakes';
import { CHAOS_MUTATIONS } from './chaos-mistakes';
import { CHECKOUT_MISTAKES } from './checkout-mistakes';
import { ENVIRONMENT_MISTAKES } from './environment-mistakes';
import { EXPIRY_MISTAKES } from './expiry-mistakes';
import { LEDGER_MISTAKES, REPLAY_MISTAKES } from './ledger-mistakes';
import { LOST_COMMIT_MISTAKES } from './lost-commit-mistakes';
import type { TestMutation } from './mutation';
import { ATTEMPT_MISTAKES } from './attempt-mistakes';
import { PAYOUT_MISTAKES } from './payout-mistakes';
import { RECONCILE_MISTAKES } from './reconcile-mistakes';
import { RESTORE_MISTAKES } from './restore-mistakes';
import { STOP_MISTAKES } from './stop-mistakes';
import { TABLE_MISTAKES, TRANSITION_MISTAKES } from './transition-mistakes';
import { WEBHOOK_MISTAKES } from './webhook-mistakes';

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
