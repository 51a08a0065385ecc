// `payctl intents close-lost` (docs/restore.md): ends the workflow of a payment whose row Postgres
// has lost.
import { BY_OPERATIONS } from '../../../workflows/messages/messages';
import { permit } from '../../postgres/approvals/decide';
import { readIntentStory } from '../../postgres/reports/intent-story';
import { requestClosing } from '../../temporal/operator-updates';
import { AS, checkReason, EVIDENCE, operatorName } from '../operator';
import { Rejection } from '../rejection';
import type { Session } from '../session';
import { noAnswer, withTemporal } from '../temporal';
import { verb } from '../verb';
import { requireIntentId } from './story';

export const closeLost = verb('close-lost <intent>', {
  does: 'End the workflow of a payment whose row Postgres has lost, once you know its outcome at the provider. It books nothing: settle by hand what was paid. A create that is repeated under its idempotency key can begin the same payment again.',
  options: [EVIDENCE, AS],
  work(intentId: string, { as, evidence }: { readonly evidence: string; readonly as?: string }) {
    const closing = { actor: operatorName(as), evidence: checkReason('--evidence', evidence) };
    return async (session) => {
      const actor = await closeLostPayment(session, intentId, closing);
      return { intent_id: intentId, closed_by: actor };
    };
  },
  lines: ({ intent_id: id }) => [`The workflow of ${id} is closed. Nothing was booked.`],
});

/**
 * @returns the name of the operator
 * @throws Rejection if the row exists, or the workflow has not noticed yet that it is missing
 */
async function closeLostPayment(
  session: Session,
  text: string,
  closing: { readonly actor: string; readonly evidence: string },
): Promise<string> {
  const intentId = requireIntentId(text);
  if ((await readIntentStory(session.database, intentId)) !== undefined) {
    throw new Rejection(
      `${intentId} has its row, so its workflow continues by itself. Check with "payctl intents show ${intentId}". Nothing was changed.`,
    );
  }
  const given = { intent_id: intentId, reason: closing.evidence };
  const decision = { verb: 'intents close-lost', given, actor: closing.actor };
  const actor = await permit(session.database, decision);
  const answer = await withTemporal(session, ({ client, deadline }) =>
    requestClosing(client, { ...closing, intentId, actor }, deadline).catch((error: unknown) => {
      throw new Rejection(`${noAnswer(error)}. It is safe to repeat this command.`);
    }),
  );
  if (answer === 'not_permitted') {
    throw new Rejection(
      `Nothing was changed: the approval has expired, or the row of ${intentId} is back. Check with "payctl intents show ${intentId}".`,
    );
  }
  if (answer === 'no_workflow') {
    throw new Rejection(`${intentId} has no open workflow. Nothing was changed.`);
  }
  if (answer === 'not_waiting') {
    throw new Rejection(
      `The workflow of ${intentId} has not noticed yet that its row is missing. Repeat this command after: temporal workflow signal --workflow-id ${intentId} --name resume --input '"${BY_OPERATIONS}"'`,
    );
  }
  return actor;
}
