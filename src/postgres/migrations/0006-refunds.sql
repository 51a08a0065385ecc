-- Purpose: the accounts that a refund is booked against: what each provider owes us for payments that we gave back to the
-- holding account (decision 16); and which request it was that moved a row, for the one who asked.
-- Locks: ledger_transfers and intent_transitions for an instant. The wider check is not run over the rows that are there,
-- since a narrower one has let them in, and the new column has no default to write.
-- Up Migration

insert into ledger_accounts (account_id, purpose) values
  ('owed:th_qrpay', 'What the provider of th_qrpay owes us for refunds: below zero until it has paid'),
  ('owed:vn_qrpay', 'What the provider of vn_qrpay owes us for refunds: below zero until it has paid');

alter table ledger_transfers
  drop constraint transfer_joins_known_accounts,
  add constraint transfer_joins_known_accounts check (
    from_account in ('funding', 'holding', 'held', 'settlement:th_qrpay', 'settlement:vn_qrpay',
                     'owed:th_qrpay', 'owed:vn_qrpay')
    and to_account in ('funding', 'holding', 'held', 'settlement:th_qrpay', 'settlement:vn_qrpay',
                       'owed:th_qrpay', 'owed:vn_qrpay')
    and from_account <> to_account) not valid;

-- Of whoever has to be told that it was this call that moved the row; null where nobody has.
alter table intent_transitions add column request_id text;
