// `payctl intents resolve`: a manual resolution is in force when the command returns. Otherwise the
// command says who ended the payment.
import { resolvePayout } from '../../../src/ops/intents/resolve';
import type { Resolution } from '../../../workflows/messages/messages';
import type { PaymentWorld, WorldOptions } from '../../support/payment-world';
import { move } from '../../support/builders';
import { rejection, runPayctl } from '../../support/programs/payctl';
import {
  aResolution,
  EVIDENCE,
  whileDelayed,
  withUnknownPayment,
} from '../../workflows/started-payment';

describe('payctl intents resolve', () => {
  const NOWHERE = { url: 'postgres://postgres@127.0.0.1:1/postgres' };

  const resolve = (
    { database, environment }: Pick<PaymentWorld, 'database' | 'environment'>,
    id: string,
    resolution: Resolution,
  ) =>
    resolvePayout(
      { database, client: environment.client, deadline: AbortSignal.timeout(20_000) },
      id,
      resolution,
    );

  it('ends the payment as resolved, with the evidence in its audit trail', () =>
    withUnknownPayment({}, async (world) => {
      const { payment } = world;
      const story = await resolve(world, payment.intentId, aResolution('paid'));
      expect(story.status).toBe('captured');
      expect(story.transitions.at(-1)).toMatchObject({
        actor: 'ann',
        reason: `resolved: ${EVIDENCE}`,
      });
    }));

  it('ends a payment without attention if a stop holds up its payout', () =>
    whileDelayed(['not_found'], async (world) => {
      const story = await resolve(world, world.payment.intentId, aResolution('declined'));
      expect(story).toMatchObject({ status: 'failed', payout: null, attention_since: null });
    }));

  it('warns in its help, and before it waits, that an order may arrive late', async () => {
    const warning =
      /Danger: double payment\. A proxy between worker and provider can still deliver an/;
    const words = ['--outcome', 'declined', '--evidence', EVIDENCE];
    const ran = await runPayctl(NOWHERE, ['intents', 'resolve', 'pi_1', ...words]);
    expect(ran.stderr).toMatch(warning);
    const help = await runPayctl(NOWHERE, ['intents', 'resolve', '--help']);
    expect(help.stdout.replaceAll(/\s+/g, ' ')).toMatch(warning);
  });

  it('accepts --provider-is-gone for declined only, because paid does not need it', async () => {
    const words = ['--outcome', 'paid', '--evidence', EVIDENCE, '--provider-is-gone'];
    const ran = await runPayctl(NOWHERE, ['intents', 'resolve', 'pi_1', ...words]);
    expect(ran).toEqual(
      rejection('--provider-is-gone is for --outcome declined: paid is accepted without it.', 2),
    );
  });

  it('is rejected if an attempt of the payout was faster, and says so', async () => {
    await withUnknownPayment({ wrap: capturedFirst }, async (world) => {
      const { payment } = world;
      await expect(resolve(world, payment.intentId, aResolution('paid'))).rejects.toThrow(
        new RegExp(
          `^The resolution was accepted, but not written: ${payment.intentId} is captured, by system at 20[^ ]+Z\\.$`,
        ),
      );
    });
  });

  /**
   * A worker that was frozen after the answer "paid" captures just before the resolution is
   * written.
   */
  const capturedFirst: NonNullable<WorldOptions['wrap']> = (activities, _setClock, bed) => ({
    ...activities,
    async recordTransition(command) {
      if (command.resolvedAs !== undefined) {
        await move(bed, command.intentId, 'capture');
      }
      return activities.recordTransition(command);
    },
  });
});
