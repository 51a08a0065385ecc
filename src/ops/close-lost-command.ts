// `payctl intents close-lost` (docs/restore.md): ends the workflow of a payment whose row Postgres has lost.
import type { Command } from 'commander';
import { parseIntentId, type IntentId } from '../domain/ids';
import { readIntentStory } from '../postgres/intent-story';
import type { Database } from '../postgres/database';
import { requestClosing } from '../temporal/operator-updates';
import { AS_OPTION, checkReason, KEPT_IN_TEMPORAL_TOO, operatorName } from './operator';
import { printStory } from './print';
import { Refusal } from './refusal';
import { inSession } from './session';
import { withTemporal, type TemporalTools } from './temporal';

interface CloseLostOptions {
  readonly evidence: string;
  readonly as?: string;
  readonly json?: boolean;
}

export function addCloseLostCommand(intents: Command): void {
  intents
    .command('close-lost')
    .description(
      'End the workflow of a payment whose row Postgres has lost, once you know what became of it at the provider. It books nothing: settle by hand what was paid. A create repeated under its idempotency key can begin the same payment again.',
    )
    .argument('<intent>', 'an intent_id')
    .requiredOption('--evidence <text>', `how you know; ${KEPT_IN_TEMPORAL_TOO}`)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runCloseLost);
}

async function runCloseLost(text: string, { evidence, as, json }: CloseLostOptions): Promise<void> {
  const intentId = parseIntentId(text);
  if (intentId === undefined) throw new Refusal(`"${text}" is not an intent id.`);
  const closing = { actor: operatorName(as), evidence: checkReason('--evidence', evidence) };
  await inSession(async ({ config, database }) => {
    await requireLost(database, intentId);
    await withTemporal(config, (temporal) => closeLost(temporal, intentId, closing));
  });
  const closed = { intent_id: intentId, closed_by: closing.actor };
  printStory(closed, json === true, () => [
    `The workflow of ${intentId} is closed. Nothing was booked.`,
  ]);
}

async function requireLost(database: Database, intentId: IntentId): Promise<void> {
  if ((await readIntentStory(database, intentId)) === undefined) return;
  throw new Refusal(
    `${intentId} has its row, so its workflow goes on by itself. Look with "payctl intents show ${intentId}". Nothing was changed.`,
  );
}

async function closeLost(
  { client, deadline }: TemporalTools,
  intentId: IntentId,
  closing: { readonly actor: string; readonly evidence: string },
): Promise<void> {
  const answer = await requestClosing(client, { intentId, ...closing }, deadline).catch(
    (error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new Refusal(`Temporal gave no answer (${why}). To repeat this command is safe.`);
    },
  );
  if (answer === 'no_workflow') {
    throw new Refusal(`No workflow of ${intentId} is open. Nothing was changed.`);
  }
  if (answer === 'not_waiting') {
    throw new Refusal(
      `The workflow of ${intentId} has not found yet that its row is missing. Wake it with "temporal workflow signal --workflow-id ${intentId} --name resume", and repeat the command.`,
    );
  }
}
