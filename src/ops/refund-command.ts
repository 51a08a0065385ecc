// `payctl intents refund` (docs/operations.md): arguments, help, and what is printed.
import type { Command } from 'commander';
import { formatUsd } from '../domain/money';
import type { IntentStory } from './intent-story';
import { storyLines } from './intent-story-lines';
import { AS_OPTION, operatorOf, REASON_FOR_RUN_OPTION, type OperatorOptions } from './operator';
import { printStory } from './print';
import { refundIntent } from './refund-intent';
import { inSession } from './session';
import { withTemporal } from './temporal';

interface RefundOptions extends OperatorOptions {
  readonly json?: boolean;
}

export function addRefundCommand(intents: Command): void {
  intents
    .command('refund')
    .description(
      'Give a captured payment back, in full and once. It is refunded when the command returns; the webhook follows by itself.',
    )
    .argument('<intent>', 'an intent_id')
    .option(...REASON_FOR_RUN_OPTION)
    .option(...AS_OPTION)
    .option('--json', 'print JSON')
    .action(runRefund);
}

async function runRefund(intentId: string, { json, ...options }: RefundOptions): Promise<void> {
  const order = { intentId, ...operatorOf(options) };
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
    `${formatUsd(amount_usd_cents)} are back in the holding account; the provider of ${corridor} owes them.`,
    isTold ? 'The partner is told by webhook.' : 'The partner has no webhook for it.',
  ];
}
