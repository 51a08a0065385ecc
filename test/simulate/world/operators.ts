// Operations, by payctl and by Temporal's own command line. Each answer that they get is kept for the checkers.
import { toPaymentStart } from '../../../src/domain/intents/payment-start';
import { allowPayouts, createPayoutStops } from '../../../src/postgres/payouts/stops';
import { confirmPayment, resumePayment } from '../../../src/temporal/payment-start';
import { requestRefund } from '../../../src/temporal/refund-start';
import {
  confirmUpdate,
  operatorConfirmSignal,
  resolvePayoutUpdate,
  type ConfirmRequest,
  type ResolutionReply,
} from '../../../workflows/messages/messages';
import type { OperatorAnswer } from '../../chaos/actors/operator';
import { INSTALLATION } from '../../support/builders';
import { isOpen } from '../temporal/run';
import type { Actors } from './actors';
import type { Ground } from './ground';

const STOPPED_FOR_MS = 300_000;

export class Operators {
  readonly answers: OperatorAnswer[] = [];
  /** Those whose declaration is false. */
  readonly liars: string[] = [];
  private asked = 0;

  private readonly ground: Ground;
  private readonly payer: Actors;

  constructor(ground: Ground, payer: Actors) {
    this.ground = ground;
    this.payer = payer;
  }

  async confirm(): Promise<void> {
    if (this.payer.intent === undefined) return;
    const payment = toPaymentStart(this.payer.intent, INSTALLATION.id);
    const operator = { actor: 'operator-0', reason: 'the payer called' };
    await confirmPayment(this.ground.client, payment, operator).catch(ignore);
  }

  async resume(): Promise<void> {
    if (this.payer.intent === undefined) return;
    await resumePayment(
      this.ground.client,
      toPaymentStart(this.payer.intent, INSTALLATION.id),
    ).catch(ignore);
  }

  async refund(): Promise<void> {
    const { intent } = this.payer;
    if (intent === undefined) return;
    await this.operate('refund', async (actor) => {
      const { intentId } = intent;
      const request = { intentId, requestId: actor, actor, reason: null, intent };
      await requestRefund(this.ground.client, request, new AbortController().signal);
      return undefined;
    });
  }

  /** Operations know it from the provider's journal. */
  declareTruth(): Promise<void> {
    return this.declare(this.ground.provider.journal.length > 0 ? 'paid' : 'declined');
  }

  /** Of a payout that the provider has executed. */
  async declareFalsely(): Promise<void> {
    if (this.ground.provider.journal.length === 0) return;
    this.liars.push(`operator-${String(this.asked + 1)}`);
    await this.declare('declined');
  }

  private declare(outcome: 'paid' | 'declined'): Promise<void> {
    return this.operate(`declare ${outcome}`, async (actor) => {
      const run = this.ground.client.workflow.getHandle(this.payer.intent?.intentId ?? '');
      const resolution = { outcome, actor, evidence: 'by the journal of the provider' };
      const options = { args: [resolution] as [typeof resolution], updateId: actor };
      const { rejection } = await run.executeUpdate<ResolutionReply, [typeof resolution]>(
        resolvePayoutUpdate,
        options,
      );
      return rejection === null ? 'done' : 'refused';
    });
  }

  async stopPayouts(): Promise<void> {
    const { fibers, postgres } = this.ground;
    const stops = createPayoutStops(postgres.of(() => Promise.resolve()));
    const stop = { actor: 'operator-0', reason: 'a drill', kind: 'operator' } as const;
    const isMade = await stops.stop(stop).catch(ignore);
    // Another one of theirs is in force, and will be lifted.
    if (isMade === false) return;
    await fibers.sleep(STOPPED_FOR_MS);
    const over = { actor: 'operator-0', reason: 'over', isAfterRestore: false };
    postgres.setClock();
    await allowPayouts(postgres.real, over);
  }

  /** By hand, with Temporal's own command line. */
  act(how: 'terminate' | 'reset' | 'cancel'): Promise<void> {
    const { server } = this.ground;
    const run = server.latest(this.payer.intent?.intentId ?? '');
    if (run === undefined || !isOpen(run)) return Promise.resolve();
    if (how === 'cancel') server.cancel(run);
    else if (how === 'reset') server.reset(run);
    else server.close(run, 'TERMINATED', 'WorkflowExecutionTerminated');
    return Promise.resolve();
  }

  /** As nobody may: by hand, without what a confirm needs. */
  async confirmNameless(): Promise<void> {
    const { server, client } = this.ground;
    const workflowId = this.payer.intent?.intentId ?? '';
    const run = server.latest(workflowId);
    if (run === undefined || !isOpen(run)) return;
    server.signal(run, operatorConfirmSignal.name, [], true);
    const request = { updateId: 'nameless', args: [{}] as unknown as [ConfirmRequest] };
    await client.workflow.getHandle(workflowId).executeUpdate(confirmUpdate, request).catch(ignore);
  }

  private async operate(
    asked: OperatorAnswer['asked'],
    work: (actor: string) => Promise<'done' | 'refused' | undefined>,
  ): Promise<void> {
    this.asked += 1;
    const actor = `operator-${String(this.asked)}`;
    const outcome = (await work(actor).catch(() => undefined)) ?? 'unknown';
    this.answers.push({
      ...{ asked, actor, outcome, answeredAtMs: this.ground.fibers.nowMs, text: '' },
      intentId: this.payer.intent?.intentId ?? '',
    });
  }
}

function ignore(): undefined {
  return undefined;
}
