// `payctl intents close-lost` (docs/restore.md): ends the workflow of a payment whose row Postgres has lost.
import { readIntentStory } from '../../postgres/reports/intent-story';
import { requestClosing } from '../../temporal/operator-updates';
import { requireIntentId } from './story';
import { Rejection } from '../rejection';
import type { Session } from '../session';
import { noAnswer, withTemporal } from '../temporal';

/** @throws Rejection while the row is there, or the workflow has not found that it is missing */
export async function closeLostPayment(
  { config, database }: Session,
  text: string,
  closing: { readonly actor: string; readonly evidence: string },
): Promise<void> {
  const intentId = requireIntentId(text);
  if ((await readIntentStory(database, intentId)) !== undefined) {
    throw new Rejection(
      `${intentId} has its row, so its workflow goes on by itself. Look with "payctl intents show ${intentId}". Nothing was changed.`,
    );
  }
  const answer = await withTemporal(config, ({ client, deadline }) =>
    requestClosing(client, { intentId, ...closing }, deadline).catch((error: unknown) => {
      throw new Rejection(`${noAnswer(error)}. To repeat this command is safe.`);
    }),
  );
  if (answer === 'no_workflow') {
    throw new Rejection(`No workflow of ${intentId} is open. Nothing was changed.`);
  }
  if (answer === 'not_waiting') {
    throw new Rejection(
      `The workflow of ${intentId} has not found yet that its row is missing. Wake it with "temporal workflow signal --workflow-id ${intentId} --name resume", and repeat the command.`,
    );
  }
}
