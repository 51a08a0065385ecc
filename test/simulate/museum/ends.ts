// Failures at the end of a payment: it ends twice, or its status is contradicted or overwritten.
import { count, type Actor, type Exhibit } from './exhibit';

const refundsIfEnoughIsLeft: Actor = function* (state) {
  const isEnough = Number(state['refunded']) + 60 <= Number(state['captured']);
  yield;
  if (isEnough) count(state, 'refunded', 60);
};

const endsIfOpen = (end: string, money: string): Actor =>
  function* (state) {
    const isOpen = state['status'] === 'open';
    yield;
    if (!isOpen) return;
    state['status'] = end;
    count(state, money);
  };

export const ENDS: readonly Exhibit[] = [
  {
    title: 'Two refunds at once exceed the payment',
    link: 'https://github.com/juspay/hyperswitch/issues/13182',
    what: 'Both read the same sum of refunds, both are within it, and both are paid.',
    rule: 'A refund is full, and moves the row from `captured` by compare and set (decision 16).',
    naive: {
      state: { captured: 100, refunded: 0 },
      actors: { one: refundsIfEnoughIsLeft, two: refundsIfEnoughIsLeft },
      order: ['one', 'two', 'one', 'two'],
      isBroken: ({ captured, refunded }) => Number(refunded) > Number(captured),
    },
    script: { 'the story': 'it is confirmed, and refunded twice' },
    end: 'captured → refunded, by operator-1',
  },
  {
    title: 'A refund is paid again while the first one waits',
    link: 'https://github.com/dfinity/invoice-canister/issues/22',
    what: 'The refund awaits its transfer with the invoice unchanged, so another call passes the same check.',
    rule: 'The refund is one statement with its ledger transfer, in one workflow for each intent.',
    naive: {
      state: { captured: 60, refunded: 0 },
      actors: { call: refundsIfEnoughIsLeft, repeat: refundsIfEnoughIsLeft },
      order: ['call', 'repeat', 'repeat', 'call'],
      isBroken: ({ captured, refunded }) => Number(refunded) > Number(captured),
    },
    script: {
      'the story': 'it is confirmed, and refunded twice',
      'Temporal: update refund #1': 'its answer is lost',
    },
    end: 'captured → refunded, by operator-1',
  },
  {
    title: 'A late failure downgrades a paid order',
    link: 'https://github.com/NEARBuilders/nearmerch.com/issues/209',
    what: 'A late failure event sets the status without reading it.',
    rule: 'Every change of a status compares and sets along the transition table, and `captured` leads to `refunded` only.',
    naive: {
      state: { status: 'processing' },
      actors: {
        failure(state) {
          state['status'] = 'payment_failed';
        },
      },
      order: ['failure'],
      isBroken: ({ status }) => status === 'payment_failed',
    },
    script: {
      'the worker, where payOutAtOnce ends #1': 'an operator resolves a paid payout as declined',
    },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A cancelled order is paid late',
    link: 'https://github.com/coreshop/CoreShop/issues/2529',
    what: 'The shop cancels while the customer is at the payment page, and the payment succeeds.',
    rule: 'A cancel is accepted until the payout is sent (decision 25). Later cancels are answered 409.',
    naive: {
      state: { status: 'open', paid: 0 },
      actors: {
        *customer(state) {
          yield;
          count(state, 'paid');
        },
        shop(state) {
          state['status'] = 'cancelled';
        },
      },
      order: ['customer', 'shop', 'customer'],
      isBroken: ({ status, paid }) => status === 'cancelled' && paid === 1,
    },
    script: { 'the worker, where provider.pay ends #1': 'the partner cancels' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'A success is dropped because the order was cancelled',
    link: 'https://github.com/woocommerce/woocommerce-gateway-stripe/pull/5047',
    what: 'The success event expects a pending order, finds a cancelled one, and the payment is never recorded.',
    rule: 'The commit that cancels an authorized payment gives its debit back, and finds no payout.',
    naive: {
      state: { status: 'pending', paid: 0, known: 0 },
      actors: {
        *provider(state) {
          count(state, 'paid');
          yield;
          if (state['status'] === 'pending') count(state, 'known');
        },
        customer(state) {
          state['status'] = 'cancelled';
        },
      },
      order: ['provider', 'customer', 'provider'],
      isBroken: ({ paid, known }) => Number(paid) > Number(known),
    },
    script: { 'the worker, where record-first-sending ends #1': 'the partner cancels' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'Cancelled and completed at once',
    link: 'https://github.com/Scottcjn/Rustchain/pull/2816',
    what: 'Both read an open escrow, and both pay it out.',
    rule: 'The row is locked and compared in the statement that moves it and its money.',
    naive: {
      state: { status: 'open', paid: 0 },
      actors: { cancel: endsIfOpen('cancelled', 'paid'), accept: endsIfOpen('completed', 'paid') },
      order: ['cancel', 'accept', 'cancel', 'accept'],
      isBroken: ({ paid }) => Number(paid) > 1,
    },
    script: { 'the story': 'it is confirmed twice, and cancelled' },
    end: 'created → cancelled, by partner',
  },
  {
    title: 'A cleanup job writes an old status over a new one',
    link: 'https://github.com/killbill/killbill/issues/809',
    what: 'The job reads the payment before it has the lock, and writes back the status that it has read.',
    rule: 'Each statement names the status that it expects. The workflow adopts a row that is further along (rule R1).',
    naive: {
      state: { status: 'authorized', isCaptured: false },
      actors: {
        *janitor(state) {
          const seen = state['status'] ?? '';
          yield;
          state['status'] = seen;
        },
        capture(state) {
          state['status'] = 'captured';
          state['isCaptured'] = true;
        },
      },
      order: ['janitor', 'capture', 'janitor'],
      isBroken: ({ status, isCaptured }) => isCaptured === true && status !== 'captured',
    },
    script: { 'the worker, where recordTransition begins #1': 'the worker freezes for 20 s' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'Expired while its confirmation was on the way',
    link: 'https://github.com/snex/xpg/issues/25',
    what: 'The job that deletes expired invoices runs before the one that sees the payment.',
    rule: 'One clock decides, inside the compare and set of the confirm or of the expiry (decision 15).',
    naive: {
      state: { status: 'open', paid: 0 },
      actors: {
        *payment(state) {
          count(state, 'paid');
          yield;
          if (state['status'] === 'open') state['status'] = 'paid';
        },
        expiry(state) {
          if (state['status'] === 'open') state['status'] = 'expired';
        },
      },
      order: ['payment', 'expiry', 'payment'],
      isBroken: ({ status, paid }) => status === 'expired' && paid === 1,
    },
    script: { 'the story': 'it is confirmed at its deadline' },
    end: 'authorized → captured, by system',
  },
  {
    title: 'The browser and the webhook both complete the order',
    link: 'https://github.com/medusajs/medusa/issues/13301',
    what: 'Both find the cart open and run the workflow that captures it.',
    rule: 'Equal update ids are one update, a token authorizes once, and one workflow id is one workflow.',
    naive: {
      state: { status: 'open', captures: 0 },
      actors: {
        browser: endsIfOpen('captured', 'captures'),
        webhook: endsIfOpen('captured', 'captures'),
      },
      order: ['browser', 'webhook', 'browser', 'webhook'],
      isBroken: ({ captures }) => Number(captures) > 1,
    },
    script: {
      'the worker, where payOutAtOnce begins #1': 'the payer confirms with the same token',
    },
    end: 'authorized → captured, by system',
  },
];
