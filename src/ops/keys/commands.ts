// `payctl keys issue | list | revoke | reseal` (docs/operations.md): arguments, help, and what is printed.
import { processEnvironment } from '../../config';
import { rejectIgnoredSealingKey } from '../environment';
import { recordAndSentences, recordLines, tableOr } from '../layout';
import { tell } from '../print';
import { Rejection } from '../rejection';
import { resealSecrets } from './reseal';
import { issueKey, listKeys, revokeKey } from './signing-keys';
import { noun, verb } from '../verb';

const issue = verb('issue <partner>', {
  does: "Issue a partner's next signing key, whose secret is printed this once. Older keys end 14 days later, unless they end before; at most 3 are active at once.",
  work: (partnerId: string) => (session) => issueKey(session, partnerId),
  json: ({ key_id, signing_secret }) => ({ key_id, signing_secret }),
  lines: ({ key_id, signing_secret, older }) =>
    recordAndSentences({ key_id, signing_secret }, [
      'The secret is shown this once: hand it over now.',
      ...older.map((key) => {
        return `${key.key_id} stops working at ${key.revokes_at?.toISOString() ?? 'no set time'}.`;
      }),
    ]),
});

const list = verb('list <partner>', {
  does: "List a partner's signing keys, oldest first. revokes_at is when an active key ends, and when a revoked one ended, be it by hand or by itself.",
  work(partnerId: string) {
    return ({ database }) => listKeys(database, partnerId);
  },
  lines: (keys, [partnerId]) => tableOr(keys, `Partner ${partnerId} has no keys.`),
});

const revoke = verb('revoke <key_id>', {
  does: 'Revoke a signing key at once and for good. To repeat it changes nothing.',
  work(keyId: string) {
    return async ({ database }) => {
      const { key_id, status, partnerId, activeKeysLeft } = await revokeKey(database, keyId);
      if (activeKeysLeft === 0) {
        tell(
          `Partner ${partnerId} has no active key left and cannot sign a request. Issue one: payctl keys issue ${partnerId}.`,
        );
      }
      return { key_id, status };
    };
  },
  lines: (revoked) => recordLines(revoked),
});

const RESEAL_STEPS = `
To replace the key-encryption key without a pause:
  1. Start every api and worker with the new key as KEY_ENCRYPTION_KEY_SECOND, beside the old one.
  2. Give payctl the new key as KEY_ENCRYPTION_KEY and the old one as KEY_ENCRYPTION_KEY_SECOND,
     from now on and for every command, and run "keys reseal".
  3. Run it again: it says that none was resealed and that all open. Then start every process,
     and payctl, with the new key alone. Destroy the old one when the last backup from before
     is gone.`;
const OWNERS_NAMED = 5;

const reseal = verb('reseal', {
  does: 'Seal every stored secret under KEY_ENCRYPTION_KEY that opens under KEY_ENCRYPTION_KEY_SECOND only. It may be interrupted and repeated.',
  help: RESEAL_STEPS,
  work() {
    rejectIgnoredSealingKey(processEnvironment());
    const onProgress = (count: number) => {
      tell(`${count} secrets looked at so far.`);
    };
    return (session) => resealSecrets({ ...session, onProgress });
  },
  lines: (report) => recordLines(report),
  after({ unopened }) {
    if (unopened.length === 0) return;
    const named = unopened.slice(0, OWNERS_NAMED).join(', ');
    const more = unopened.length - OWNERS_NAMED;
    throw new Rejection(
      `Left as they were, since they open under neither key: ${named}${more > 0 ? ` and ${more} more` : ''}. Repeat with the key they were sealed under as KEY_ENCRYPTION_KEY_SECOND.`,
    );
  },
});

export const addKeysCommands = noun('keys', 'Rotate signing keys, and the key that seals them.', [
  issue,
  list,
  revoke,
  reseal,
]);
