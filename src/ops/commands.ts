// Every command of payctl. The help lists them in this order.
import { book } from './accounts/book';
import { fund } from './accounts/fund';
import { repayment } from './accounts/book-repayment';
import { list as listAccounts } from './accounts/list';
import {
  closeCorridor,
  openCorridor,
  resume as resumePartner,
  suspend,
} from './corridors/closures';
import { prune } from './data/prune';
import { acknowledge } from './intents/acknowledge';
import { closeLost } from './intents/close-lost';
import { confirm } from './intents/confirm';
import { list as listIntents } from './intents/list';
import { reference } from './intents/reference';
import { refund } from './intents/refund';
import { resolve } from './intents/resolve';
import { resume } from './intents/resume';
import { show as showIntent } from './intents/show';
import { issue } from './keys/issue';
import { list as listKeys } from './keys/list';
import { reseal } from './keys/reseal';
import { revoke } from './keys/revoke';
import { check } from './ledger/check';
import { reconcileCommand } from './ledger/reconcile/command';
import { create } from './partners/create';
import { eraseUser } from './partners/erase-user';
import { list as listPartners } from './partners/list';
import { set as setPartner } from './partners/set';
import { show as showPartner } from './partners/show';
import { totals } from './partners/totals';
import { allow } from './payouts/allow';
import { show as showStops } from './payouts/show';
import { stop } from './payouts/stop';
import { explain } from './requests/explain-token';
import { list as listRequests } from './requests/list';
import { sign } from './requests/sign';
import { why } from './requests/why';
import { status } from './status';
import { noun } from './verb';
import { disable } from './webhooks/disable';
import { list as listWebhooks } from './webhooks/list';
import { replay } from './webhooks/replay';
import { rotate } from './webhooks/rotate';
import { set as setWebhook } from './webhooks/set';

export const COMMANDS = [
  status,
  noun('partners', 'Register partners, and change what they were registered with.', [
    create,
    setPartner,
    listPartners,
    showPartner,
    totals,
    suspend,
    resumePartner,
    eraseUser,
  ]),
  noun('corridors', 'Close a corridor to new payments, and open it again.', [
    closeCorridor,
    openCorridor,
  ]),
  noun('keys', 'Rotate signing keys, and the key that seals them.', [
    issue,
    listKeys,
    revoke,
    reseal,
  ]),
  noun(
    'intents',
    'Find payments, see what each waits for, and take the decisions that need an operator.',
    [showIntent, listIntents, refund, resolve, confirm, resume, reference, acknowledge, closeLost],
  ),
  noun(
    'accounts',
    "See the ledger's accounts, and book what is put into the holding account, what a provider has paid back, and what it took.",
    [listAccounts, fund, repayment, book],
  ),
  noun('payouts', 'Stop all payouts, and allow them again. Everything else continues.', [
    showStops,
    stop,
    allow,
  ]),
  noun('ledger', 'Check that the ledger is right.', [check]),
  reconcileCommand,
  noun(
    'webhooks',
    'Set webhook endpoints, see which events partners did not get, and send them again.',
    [setWebhook, rotate, disable, listWebhooks, replay],
  ),
  noun('requests', 'Explain what the API answered, and why.', [why, listRequests]),
  noun('token', 'Explain session tokens.', [explain]),
  sign,
  noun('data', 'Delete old data.', [prune]),
];
