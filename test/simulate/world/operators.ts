// Operators, who use payctl and Temporal's command line, and the provider's callbacks. Records each
// answer for the checkers.
import type { Resolution } from '../../../src/domain/intents/manual-resolution';
import { toPaymentStart } from '../../../src/domain/intents/payment-start';
import { takeHint } from '../../../src/postgres/payouts/hints';
import { proposeReference } from '../../support/operators';
import { recordResolution } from '../../../src/postgres/payouts/resolutions';
import { allowPayouts, createPayoutStops } from '../../../src/postgres/payouts/stops';
import { confirmPayment, resumePayment } from '../../../src/temporal/payment-start';
import { requestRefund } from '../../../src/temporal/starts';
import {
  confirmUpdate,
  operatorConfirmSignal,
  resolvePayoutUpdate,
  type ConfirmRequest,
  type ResolutionReply,
} from '../../../workflows/messages/messages';
import type { OperatorAnswer } from '../../chaos/actors/operator';
import { INSTALLATION } from '../../support/builders';
import { ACCOUNT } from '../../support/payments/accounts';
import { isOpen } from '../temporal/run';
import { OTHER_REFERENCE, REFERENCE } from './provider-settings';
import type { PartnerAndPayer } from './partner-and-payer';
import type { World } from './world';

const STOPPED_FOR_MS = 300_000;

export class Operators {
  readonly answers: OperatorAnswer[] = [];
  /** Names of operators whose manual resolution was false. */
  readonly falseOperators: string[] = [];
  private commands = 0;

  private readonly world: World;
  private readonly payer: PartnerAndPayer;

  constructor(world: World, payer: PartnerAndPayer) {
    this.world = world;
    this.payer = payer;
  }

  async confirm(): Promise<void> {
    if (this.payer.intent === undefined) return;
    const payment = toPaymentStart(this.payer.intent, INSTALLATION.id);
    const operator = { actor: 'operator-0', reason: 'the payer called' };
    await confirmPayment(this.world.client, payment, operator).catch(ignore);
  }

  async resume(): Promise<void> {
    if (this.payer.intent === undefined) return;
    await resumePayment(
      this.world.client,
      toPaymentStart(this.payer.intent, INSTALLATION.id),
    ).catch(ignore);
  }

  async refund(): Promise<void> {
    const { intent } = this.payer;
    if (intent === undefined) return;
    await this.operate('refund', async (actor) => {
      const { intentId } = intent;
      const request = { intentId, requestId: actor, actor, reason: null, intent };
      await requestRefund(this.world.client, request, new AbortController().signal);
      return undefined;
    });
  }

  /** Resolves by the provider's journal. */
  resolveTruly(): Promise<void> {
    return this.resolve(this.world.provider.journal.length > 0 ? 'paid' : 'declined');
  }

  /** Resolves an executed payout as declined. */
  async resolveFalsely(): Promise<void> {
    if (this.world.provider.journal.length === 0) return;
    this.falseOperators.push(`operator-${String(this.commands + 1)}`);
    // The provider may be silent: the operator says that it is gone.
    await this.resolve('declined', true);
  }

  /** A verified callback, as the listener takes it. */
  async callBack(): Promise<void> {
    const { intent } = this.payer;
    if (intent === undefined) return;
    const { postgres } = this.world;
    postgres.setClock();
    const { intentId, corridor } = intent;
    const hint = { intentId, corridor, accounts: [ACCOUNT], reference: REFERENCE };
    await takeHint(postgres.real, hint).catch(ignore);
  }

  /** Names the provider's id of another payment. */
  async nameWrongly(): Promise<void> {
    const { intent } = this.payer;
    if (intent === undefined) return;
    const { postgres } = this.world;
    postgres.setClock();
    const proposal = { intentId: intent.intentId, reference: OTHER_REFERENCE, actor: 'operator-0' };
    await proposeReference(postgres.real, proposal).catch(ignore);
  }

  private resolve(outcome: 'paid' | 'declined', isProviderGone = false): Promise<void> {
    return this.operate(`resolve ${outcome}`, async (actor) => {
      const { intent } = this.payer;
      if (intent === undefined) return undefined;
      const run = this.world.client.workflow.getHandle(intent.intentId);
      const evidence = 'by the journal of the provider';
      const resolution: Resolution = { outcome, actor, evidence, isProviderGone };
      const { postgres } = this.world;
      postgres.setClock();
      // Where Postgres has lost the row the update alone is sent, as if payctl had just read it.
      await recordResolution(postgres.real, intent.intentId, resolution).catch(ignore);
      const options = { args: [resolution] as [typeof resolution], updateId: actor };
      const { rejection } = await run.executeUpdate<ResolutionReply, [typeof resolution]>(
        resolvePayoutUpdate,
        options,
      );
      return rejection === null ? 'done' : 'rejected';
    });
  }

  async stopPayouts(): Promise<void> {
    const { fibers, postgres } = this.world;
    const stops = createPayoutStops(postgres.of(() => Promise.resolve()));
    const stop = { actor: 'operator-0', reason: 'a drill', kind: 'operator' } as const;
    const isMade = await stops.stop(stop).catch(ignore);
    // An earlier stop of operators is in force and will be lifted.
    if (isMade === false) return;
    await fibers.sleep(STOPPED_FOR_MS);
    const over = { actor: 'operator-0', reason: 'over', isAfterRestore: false };
    postgres.setClock();
    await allowPayouts(postgres.real, over);
  }

  /** Uses Temporal's own command line. */
  act(how: 'terminate' | 'reset' | 'cancel'): Promise<void> {
    const { server } = this.world;
    const run = server.latest(this.payer.intent?.intentId ?? '');
    if (run === undefined || !isOpen(run)) return Promise.resolve();
    if (how === 'cancel') server.cancel(run);
    else if (how === 'reset') server.reset(run);
    else server.close(run, 'TERMINATED', 'WorkflowExecutionTerminated');
    return Promise.resolve();
  }

  /**
   * Sends a confirm signal without operator, and a confirm update without token: both must be
   * rejected.
   */
  async confirmWithoutOperator(): Promise<void> {
    const { server, client } = this.world;
    const workflowId = this.payer.intent?.intentId ?? '';
    const run = server.latest(workflowId);
    if (run === undefined || !isOpen(run)) return;
    server.signal(run, operatorConfirmSignal.name, [], true);
    const request = { updateId: 'no-token', args: [{}] as unknown as [ConfirmRequest] };
    await client.workflow.getHandle(workflowId).executeUpdate(confirmUpdate, request).catch(ignore);
  }

  private async operate(
    operation: OperatorAnswer['operation'],
    work: (actor: string) => Promise<'done' | 'rejected' | undefined>,
  ): Promise<void> {
    this.commands += 1;
    const actor = `operator-${String(this.commands)}`;
    const outcome = (await work(actor).catch(() => undefined)) ?? 'unknown';
    this.answers.push({
      ...{ operation, actor, outcome, answeredAtMs: this.world.fibers.nowMs, text: '' },
      intentId: this.payer.intent?.intentId ?? '',
    });
  }
}

function ignore(): undefined {
  return undefined;
}
