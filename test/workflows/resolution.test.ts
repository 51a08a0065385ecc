// What operations declare about an unknown payout (architecture, section 3, "Messages" and "Settlement"; section 7,
// `intents resolve`).
import { until } from '../../src/dev/until';
import { checkLedger } from '../../src/postgres/ledger/check';
import { BY_OPERATIONS, resumeSignal } from '../../workflows/messages/messages';
import type { WorldOptions } from '../support/payment-world';
import { declared, EVIDENCE, withPayment, withUnknownPayment } from './started-payment';

const CONTRARY = { outcome: 'paid', amountUsdCents: 1 } as const;

describe('operations declare the outcome of an unknown payout', () => {
  it.each([
    ['paid', 'captured', 'capture', 'with who and why in the audit trail'],
    ['declined', 'failed', 'release', 'and the debit given back'],
  ] as const)('%s: %s by a %s, %s', (outcome, status, step, _told) =>
    withUnknownPayment({}, async ({ run, resolve, trail, row }, provider) => {
      await expect(resolve(declared(outcome))).resolves.toEqual({ status, rejection: null });
      provider.push(outcome);
      const reason = `resolved: ${EVIDENCE}`;
      expect((await trail()).at(-1)).toEqual({ to: status, actor: 'ann', reason });
      await expect(run.result()).resolves.toBe(status);
      await expect(row()).resolves.toEqual({ status, attention: null, steps: ['debit', step] });
    }),
  );

  it.each(['paid', 'pending'] as const)(
    'declined is refused while a fresh question says %s, and nothing moves',
    (said) =>
      withUnknownPayment({ wrap: freshlyAsked(said) }, async ({ resolve, row }) => {
        await expect(resolve(declared('declined'))).resolves.toEqual({
          status: 'authorized',
          rejection: `The provider says ${said}.`,
        });
        await expect(row()).resolves.toMatchObject({ status: 'authorized', steps: ['debit'] });
      }),
  );

  it('is refused while the payment does not wait for operations', () =>
    withPayment(async ({ resolve }) => {
      const cause = { type: 'NotWaitingForOperations' };
      await expect(resolve(declared('declined'))).rejects.toMatchObject({ cause });
    }));

  it('of two contrary declarations at once the first counts, and the other is told so', () =>
    withUnknownPayment({}, async ({ resolve, row }) => {
      const both = [declared('paid', 'ann'), declared('declined', 'bob')];
      const replies = await Promise.all(both.map(resolve));
      const [accepted, ...others] = replies.filter(({ rejection }) => rejection === null);
      expect(others).toEqual([]);
      await expect(row()).resolves.toMatchObject({ status: accepted?.status });
      const rejections = replies.flatMap(({ rejection }) => rejection ?? []);
      expect(rejections).toEqual(['The payout has been decided already.']);
    }));

  it('declined is refused where the row has forgotten that it was sent, which the run knows', () =>
    withUnknownPayment({}, async ({ resolve, rows, row, database, stop }, provider) => {
      // As a restored database, and payouts are stopped until people have compared.
      await stop('restore');
      await rows('delete from payouts');
      provider.splice(0, 1, 'not_found');
      await expect(resolve(declared('declined'))).resolves.toEqual({
        status: 'authorized',
        rejection:
          'This run has sent the payout, and its row does not know of it: a database was restored. See docs/restore.md.',
      });
      await expect(row()).resolves.toMatchObject({ steps: ['debit'] });
      const reply = await resolve(declared('paid'));
      expect(reply).toEqual({ status: 'captured', rejection: null });
      const checks = await checkLedger(database, () => undefined);
      expect(checks.filter(({ violations }) => violations > 0)).toEqual([]);
    }));

  it('settles a contrary amount as paid, which never resolves itself', () =>
    withPayment({ provider: [CONTRARY] }, async ({ confirm, resolve }) => {
      await expect(confirm()).resolves.toEqual({ status: 'authorized' });
      const reply = await resolve(declared('paid'));
      expect(reply).toEqual({ status: 'captured', rejection: null });
    }));

  it('asks about a contrary amount again only when people say so, not when it is reminded', async () => {
    let asked = 0;
    const wrap: WorldOptions['wrap'] = (activities) => ({
      ...activities,
      payOut: (request) => activities.payOut(request).finally(() => (asked += 1)),
    });
    await withPayment({ wrap, provider: [CONTRARY] }, async ({ confirm, environment, run }) => {
      await confirm();
      await run.signal(resumeSignal);
      await environment.sleep('1 hour');
      expect(asked).toBe(0);
      await run.signal(resumeSignal, BY_OPERATIONS);
      await until(() => asked === 1, { timeoutMs: 10_000 });
      expect(asked).toBe(1);
    });
  });

  it('is contradicted by a late answer: attention again, and nothing overwritten', () =>
    withUnknownPayment({}, async ({ run, resolve, row }, provider) => {
      await resolve(declared('declined'));
      provider.push('paid');
      await expect(run.result()).resolves.toBe('failed');
      await expect(row()).resolves.toEqual({
        status: 'failed',
        attention: 'Declared declined by operations, but the provider says paid.',
        steps: ['debit', 'release'],
      });
    }));

  it('is not waited for any longer when the provider tells first', () =>
    withUnknownPayment({}, async ({ run, resolve, row }, provider) => {
      provider.push('paid');
      await expect(run.result()).resolves.toBe('captured');
      await expect(resolve(declared('declined'))).rejects.toThrow(/completed|not found/i);
      await expect(row()).resolves.toMatchObject({ steps: ['debit', 'capture'] });
    }));
});

/** The slow asking learns nothing; only the fresh question of a resolution does. */
function freshlyAsked(said: 'paid' | 'pending'): NonNullable<WorldOptions['wrap']> {
  const judgement = { rejection: `The provider says ${said}.`, payoutAttempts: null };
  return (activities) => ({ ...activities, verifyResolution: () => Promise.resolve(judgement) });
}
