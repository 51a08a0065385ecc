// `payctl intents refund` (docs/operations.md): arguments, help, and what is printed.
import type { Command } from 'commander';
import type { IntentStory } from './intent-story';
import { storyLines } from './intent-story-lines';
import { AS_OPTION, checkReason, operatorName } from './operator';
import { dollars } from './layout';
import { printStory } from './print';
import { refundIntent } from './refund-intent';
import { inSession } from './session';
import { withTemporal } from './temporal';

interface RefundOptions {
  readonly reason?: string;
  readonly as?: string;
  readonly json?: boolean;
}

export function addRefundCommand(intents: Command): void {
  intents
    .command('refund')
    .description(
      'Give a captured payment back, in full and once. It is refunded when the command returns; the webhook follows by itself.',
    )
    .argument('<intent>', 'an intent_id')
    .option('--reason <text>', 'why, for the audit trail')
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runRefund);
}

async function runRefund(intentId: string, { reason, as, json }: RefundOptions): Promise<void> {
  const order = {
    intentId,
    actor: operatorName(as),
    reason: reason === undefined ? null : checkReason('--reason', reason),
  };
  const refunded = await inSession(({ database, config }) =>
    withTemporal(config, (temporal) => refundIntent({ database, ...temporal }, order)),
  );
  printStory(refunded, json === true, () => [
    ...storyLines(refunded),
    '',
    ...sentencesOf(refunded),
  ]);
}

function sentencesOf({ amount_usd_cents, corridor, webhooks }: IntentStory): readonly string[] {
  const isTold = webhooks.some(({ type }) => type === 'payment_intent.refunded');
  return [
    `${dollars(amount_usd_cents)} are back in the holding account; the provider of ${corridor} owes them.`,
    isTold ? 'The partner is told by webhook.' : 'The partner has no webhook for it.',
  ];
}
