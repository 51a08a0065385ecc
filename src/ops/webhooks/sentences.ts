// What people should know after `payctl webhooks set | rotate | disable`: what is in force, and what to do next.
import { counted, type ShownEndpoint } from './endpoint-view';
import { command, toTheSecond } from '../layout';
import type { DisabledEndpoint, RotatedSecret, SetEndpoint } from './endpoint';

export function setSentences(endpoint: SetEndpoint): readonly string[] {
  return [
    endpoint.webhook_secret === null
      ? 'The secret stays as it was; it was shown when it was made.'
      : 'The webhook secret is shown this once: hand it over now.',
    ...missedSentences(endpoint),
  ];
}

export function missedSentences({
  partner_id: partner,
  skipped,
}: ShownEndpoint): readonly string[] {
  if (skipped === 0) return ['It has missed nothing.'];
  const events = skipped === 1 ? '1 event' : `${counted(skipped)} events`;
  return [
    `It has missed ${events}. To send what it missed:`,
    command(`payctl webhooks replay --partner ${partner} --missing`),
  ];
}

export function rotatedSentences(rotated: RotatedSecret): readonly string[] {
  const { previous_until, is_oldest_dropped } = rotated;
  return [
    'The new secret is shown this once: hand it over now.',
    previous_until === null
      ? 'The old one signs no more: until the partner has the new one, it can verify no webhook.'
      : `Every webhook is signed by the new and by the old one until ${toTheSecond(previous_until)}, then by the new one alone.`,
    ...(is_oldest_dropped
      ? [
          'The last rotation was not over: the secret before the old one was still signing, and signs no more. A partner that has only that one can verify no webhook.',
        ]
      : []),
  ];
}

export function disabledSentences(disabled: DisabledEndpoint): readonly string[] {
  const { partner_id: partner, skipped_now: skipped } = disabled;
  const pending = skipped === 1 ? '1 event was owed' : `${skipped} events were owed`;
  return [
    `Nothing is sent to ${partner} any more, but for what is under way. ${skipped === 0 ? 'Nothing was owed' : `${pending}, and counts as missed`}.`,
    'To enable it, and to send what it missed by then:',
    command(`payctl webhooks set ${partner}`),
    command(`payctl webhooks replay --partner ${partner} --missing`),
  ];
}
