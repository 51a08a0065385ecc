// `payctl webhooks rotate` (decision 18): a new webhook secret, with an overlap in which the old
// one signs too. It applies to every attempt that begins after the command has returned.
import { ROTATION_OVERLAP_SECONDS } from '../../domain/limits';
import { webhookSecretOwner } from '../../domain/webhooks/event';
import { decide, shownOnce } from '../../postgres/approvals/decide';
import type { Operator } from '../audit-trail';
import { makeWebhookSecret, secretSentence } from '../keys/secrets';
import { requireConsent, yesFor, type Consent } from '../consent';
import { recordAndSentences, toTheSecond } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { wholeNumber } from '../option-values';
import { changeDirectory } from '../partners/directory-change';
import { requirePartner } from '../partners/known-partner';
import type { SecretTools } from '../session';
import { option, verb } from '../verb';
import { findEndpoint } from './endpoint-view';

const OVERLAP_DEFAULT_HOURS = ROTATION_OVERLAP_SECONDS / 3_600;
const OVERLAP_MAX_HOURS = 9_999;

export const rotate = verb('rotate <partner>', {
  does: 'Make a new webhook secret for a partner. It is printed only once. The old secret signs beside it for the overlap; a secret older than that stops signing.',
  options: [
    option('--overlap-hours <hours>', 'how long the old secret signs too; 0 ends it at once')
      .argParser(wholeNumber(0, OVERLAP_MAX_HOURS))
      .default(OVERLAP_DEFAULT_HOURS),
    yesFor('a rotation before the last one is over'),
    REASON,
    AS,
  ],
  work(partnerId: string, options: Omit<Rotation, 'partnerId'> & OperatorOptions) {
    const operator = operatorOf(options);
    return (session) => rotateWebhookSecret(session, { ...options, partnerId }, operator);
  },
  lines: (rotated) => recordAndSentences(rotated, rotatedSentences(rotated)),
});

function rotatedSentences(rotated: RotatedSecret): readonly string[] {
  const { previous_until, is_oldest_dropped } = rotated;
  return [
    secretSentence('The new secret', rotated.webhook_secret),
    previous_until === null
      ? 'The old secret no longer signs. Until the partner has the new one, it can verify no webhook.'
      : `Every webhook is signed with both secrets until ${toTheSecond(previous_until)}, then with the new one alone.`,
    ...(is_oldest_dropped
      ? [
          'The last rotation was not over: the secret before the old one was still signing, and no longer signs. A partner that has only that one can verify no webhook.',
        ]
      : []),
  ];
}

interface Rotation extends Consent {
  readonly partnerId: string;
  readonly overlapHours: number;
}

interface RotatedSecret {
  readonly partner_id: string;
  /** Null if the command that asked for it has printed it. */
  readonly webhook_secret: string | null;
  /** When the old secret stops signing beside the new one; null if it has stopped already. */
  readonly previous_until: Date | null;
  /** Whether a secret older than both was still signing, and no longer signs. */
  readonly is_oldest_dropped: boolean;
}

/**
 * @throws Rejection if the partner has no endpoint, or the last rotation is not over and no consent
 */
export function rotateWebhookSecret(
  { database, seal }: SecretTools,
  rotation: Rotation,
  operator: Operator,
): Promise<RotatedSecret> {
  const { partnerId, overlapHours } = rotation;
  const secret = makeWebhookSecret();
  return changeDirectory(database, async (connection) => {
    await requirePartner(connection, partnerId);
    const before = await findEndpoint(connection, partnerId);
    if (before.previous_until !== null) {
      requireConsent(
        rotation,
        `The last rotation of ${partnerId} lasts until ${toTheSecond(before.previous_until)}: the secret before it would no longer sign.`,
      );
    }
    const { actor, reason } = operator;
    const details = `overlap of ${String(overlapHours)} h`;
    const done = await decide(connection, {
      ...{ verb: 'webhooks rotate', actor, secrets: { webhook_secret: secret } },
      given: { partner_id: partnerId, overlap_hours: overlapHours, reason, details },
      sealed: { webhook: seal.seal(secret, webhookSecretOwner(partnerId)).toString('hex') },
    });
    const after = await findEndpoint(connection, partnerId);
    return {
      partner_id: partnerId,
      webhook_secret: shownOnce(done, secret),
      previous_until: after.previous_until,
      is_oldest_dropped: before.previous_until !== null,
    };
  });
}
