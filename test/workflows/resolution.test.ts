// Manual resolution of an unknown payout, `payctl intents resolve` (architecture, section 3,
// "Messages" and "Settlement"; section 7).
import { until } from '../../src/dev/until';
import { checkLedger } from '../../src/postgres/ledger/check';
import { BY_OPERATIONS, resumeSignal } from '../../workflows/messages/messages';
import { paidIn } from '../support/payments/answers';
import type { WorldOptions } from '../support/payment-world';
import {
  aDeclinedOne,
  aResolution,
  EVIDENCE,
  withPayment,
  withUnknownPayment,
} from './started-payment';

const AMOUNT_MISMATCH = paidIn(1);

describe('a manual resolution', () => {
  it.each([
    ['paid', 'captured', 'capture'],
    ['declined', 'failed', 'release'],
  ] as const)('as %s is written as %s with a %s, operator and evidence', (outcome, status, step) =>
    withUnknownPayment({}, async ({ workflow, resolve, trail, row }, provider) => {
      const resolution = outcome === 'paid' ? aResolution(outcome) : aDeclinedOne();
      await expect(resolve(resolution)).resolves.toEqual({ status, rejection: null });
      provider.push(outcome);
      const reason = `resolved: ${EVIDENCE}`;
      expect((await trail()).at(-1)).toEqual({ to: status, actor: 'ann', reason });
      await expect(workflow.result()).resolves.toBe(status);
      await expect(row()).resolves.toEqual({ status, attention: null, steps: ['debit', step] });
    }),
  );

  it.each(['paid', 'pending'] as const)(
    'as declined is rejected if the verifying query says %s, and no money moves',
    (answer) =>
      withUnknownPayment({ wrap: verifiedAs(answer) }, async ({ resolve, row }) => {
        await expect(resolve(aResolution('declined'))).resolves.toEqual({
          status: 'authorized',
          rejection: `The provider says ${answer}.`,
        });
        await expect(row()).resolves.toMatchObject({ status: 'authorized', steps: ['debit'] });
      }),
  );

  it('as declined is rejected while the provider is silent, and no money moves', () =>
    withUnknownPayment({}, async ({ resolve, row }) => {
      await expect(resolve(aResolution('declined'))).resolves.toEqual({
        status: 'authorized',
        rejection:
          'The provider does not answer. Repeat the command when it does; if it never will, see --provider-is-gone.',
      });
      await expect(row()).resolves.toMatchObject({ status: 'authorized', steps: ['debit'] });
    }));

  it('is rejected while the payment does not wait for operations', () =>
    withPayment(async ({ resolve }) => {
      const cause = { type: 'NotWaitingForOperations' };
      await expect(resolve(aResolution('declined'))).rejects.toMatchObject({ cause });
    }));

  it('is rejected if a simultaneous one was written first', () =>
    withUnknownPayment({}, async ({ resolveBoth, row }) => {
      const both = [aResolution('paid', 'ann'), aDeclinedOne('bob')] as const;
      const replies = await resolveBoth(...both);
      const [accepted, ...others] = replies.filter(({ rejection }) => rejection === null);
      expect(others).toEqual([]);
      await expect(row()).resolves.toMatchObject({ status: accepted?.status });
      const rejections = replies.flatMap(({ rejection }) => rejection ?? []);
      expect(rejections).toEqual(['The payout has been decided already.']);
    }));

  it('as declined is rejected if the workflow has sent the payout and the row has lost that', () =>
    withUnknownPayment({}, async ({ resolve, rows, row, database, stop }, provider) => {
      // As in a restored database: payouts are stopped until an operator has reconciled.
      await stop('restore');
      await rows('delete from payouts');
      provider.splice(0, 1, 'not_found');
      await expect(resolve(aResolution('declined'))).resolves.toEqual({
        status: 'authorized',
        rejection:
          'This workflow has sent the payout, but its row has no attempt: a database was restored. See docs/restore.md.',
      });
      await expect(row()).resolves.toMatchObject({ steps: ['debit'] });
      const reply = await resolve(aResolution('paid'));
      expect(reply).toEqual({ status: 'captured', rejection: null });
      const checks = await checkLedger(database, () => undefined);
      expect(checks.filter(({ violations }) => violations > 0)).toEqual([]);
    }));

  it('as paid settles an amount mismatch', () =>
    withPayment({ provider: [AMOUNT_MISMATCH] }, async ({ confirm, resolve }) => {
      await expect(confirm()).resolves.toEqual({ status: 'authorized' });
      const reply = await resolve(aResolution('paid'));
      expect(reply).toEqual({ status: 'captured', rejection: null });
    }));

  it('that a later answer contradicts raises attention, and nothing is overwritten', () =>
    withUnknownPayment({}, async ({ workflow, resolve, row }, provider) => {
      await resolve(aDeclinedOne());
      provider.push('paid');
      await expect(workflow.result()).resolves.toBe('failed');
      await expect(row()).resolves.toEqual({
        status: 'failed',
        attention: 'Resolved manually as declined, but the provider says paid.',
        steps: ['debit', 'release'],
      });
    }));

  it('is rejected once the provider has answered', () =>
    withUnknownPayment({}, async ({ workflow, resolve, row }, provider) => {
      provider.push('paid');
      await expect(workflow.result()).resolves.toBe('captured');
      await expect(resolve(aResolution('declined'))).rejects.toThrow(/completed|not found/i);
      await expect(row()).resolves.toMatchObject({ steps: ['debit', 'capture'] });
    }));
});

it("only an operator's resume signal repeats the query after an amount mismatch", async () => {
  let queries = 0;
  const wrap: WorldOptions['wrap'] = (activities) => ({
    ...activities,
    payOut: (request) => activities.payOut(request).finally(() => (queries += 1)),
  });
  const options = { wrap, provider: [AMOUNT_MISMATCH] };
  await withPayment(options, async ({ confirm, environment, workflow }) => {
    await confirm();
    await workflow.signal(resumeSignal);
    await environment.sleep('1 hour');
    expect(queries).toBe(0);
    await workflow.signal(resumeSignal, BY_OPERATIONS);
    await until(() => queries === 1, { timeoutMs: 10_000 });
    expect(queries).toBe(1);
  });
});

/** Only the verifying query gets this answer; the slow queries of the watch stay unanswered. */
function verifiedAs(answer: 'paid' | 'pending'): NonNullable<WorldOptions['wrap']> {
  const rejection = `The provider says ${answer}.`;
  return (activities) => ({ ...activities, verifyResolution: () => Promise.resolve(rejection) });
}
