// All mutations: deliberate defects, each with the test that must detect it. They cover the
// promises that money never moves twice or gets lost and that no outcome is guessed (architecture,
// section 1). Each new rule about money needs an entry in one of the lists.
import { ACCOUNT_MUTATIONS } from './catalogue/accounts';
import { ADDRESS_MUTATIONS } from './catalogue/addresses';
import { APPROVAL_MUTATIONS } from './catalogue/approvals';
import { CALLBACK_MUTATIONS } from './catalogue/callbacks';
import { CHECK_MUTATIONS } from './catalogue/checks';
import { CHECKOUT_MUTATIONS } from './catalogue/checkout';
import { COST_MUTATIONS } from './catalogue/costs';
import { ENVIRONMENT_MUTATIONS } from './catalogue/environments';
import { EXPIRY_MUTATIONS } from './catalogue/expiry';
import { LIMIT_MUTATIONS } from './catalogue/limits';
import { LEDGER_MUTATIONS, REPLAY_MUTATIONS } from './catalogue/ledger';
import { LOST_COMMIT_MUTATIONS } from './catalogue/lost-commits';
import type { Mutation } from './mutation';
import { ATTEMPT_MUTATIONS } from './catalogue/attempts';
import { PAYOUT_MUTATIONS } from './catalogue/payouts';
import { PERMISSION_MUTATIONS } from './catalogue/permissions';
import { PROOF_MUTATIONS } from './catalogue/proofs';
import { QUOTE_MUTATIONS } from './catalogue/quotes';
import { RECONCILE_MUTATIONS } from './catalogue/reconcile';
import { RETURN_MUTATIONS } from './catalogue/returns';
import { RESTORE_MUTATIONS } from './catalogue/restores';
import { SLOW_PROVIDER_MUTATIONS } from './catalogue/slow-providers';
import { START_MUTATIONS } from './catalogue/starts';
import { STOP_MUTATIONS } from './catalogue/stops';
import { TABLE_MUTATIONS, TRANSITION_MUTATIONS } from './catalogue/transitions';
import { WEBHOOK_MUTATIONS } from './catalogue/webhooks';

export const MUTATIONS: readonly Mutation[] = [
  ...TABLE_MUTATIONS,
  ...APPROVAL_MUTATIONS,
  ...ATTEMPT_MUTATIONS,
  ...PAYOUT_MUTATIONS,
  ...PERMISSION_MUTATIONS,
  ...PROOF_MUTATIONS,
  ...SLOW_PROVIDER_MUTATIONS,
  ...STOP_MUTATIONS,
  ...RESTORE_MUTATIONS,
  ...LOST_COMMIT_MUTATIONS,
  ...RECONCILE_MUTATIONS,
  ...TRANSITION_MUTATIONS,
  ...EXPIRY_MUTATIONS,
  ...START_MUTATIONS,
  ...LEDGER_MUTATIONS,
  ...REPLAY_MUTATIONS,
  ...COST_MUTATIONS,
  ...ENVIRONMENT_MUTATIONS,
  ...ACCOUNT_MUTATIONS,
  ...CHECK_MUTATIONS,
  ...QUOTE_MUTATIONS,
  ...RETURN_MUTATIONS,
  ...CALLBACK_MUTATIONS,
  ...ADDRESS_MUTATIONS,
  ...LIMIT_MUTATIONS,
  ...WEBHOOK_MUTATIONS,
  ...CHECKOUT_MUTATIONS,
];
