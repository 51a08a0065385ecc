// `payctl keys reseal`: seals every stored secret under another key-encryption key (architecture,
// section 5). Each batch is one transaction, so that the command can be interrupted, repeated, and
// run beside every other command.
import { processEnvironment } from '../../config/config';
import { webhookSecretOwner } from '../../domain/webhooks/event';
import { readRows, type Queryable } from '../../postgres/database';
import { UnopenedSecret, type SecretSeal } from '../../signing/sealed-secret';
import { rejectIgnoredSealingKey } from '../environment';
import { decide } from '../../postgres/approvals/decide';
import { addEvents, type Operator } from '../audit-trail';
import { recordAndSentences } from '../layout';
import { AS, operatorOf, REASON, type OperatorOptions } from '../operator';
import { changeDirectory } from '../partners/directory-change';
import { printNotice } from '../print';
import { Rejection } from '../rejection';
import type { SecretTools } from '../session';
import { verb } from '../verb';

const RESEAL_STEPS = `
To replace the key-encryption key without a pause:
  1. Start every api and worker with the new key as KEY_ENCRYPTION_KEY_SECOND,
     beside the old one.
  2. Give payctl the new key as KEY_ENCRYPTION_KEY and the old one as
     KEY_ENCRYPTION_KEY_SECOND, from now on and for every command, and run
     "payctl keys reseal".
  3. Run it again: "resealed" is 0 and "unopened" is empty. Then start every
     process, and payctl, with the new key alone. Destroy the old key once the
     last backup from before is gone.`;
const OWNERS_NAMED = 5;

export const reseal = verb('reseal', {
  does: 'Seal every stored secret under KEY_ENCRYPTION_KEY that opens under KEY_ENCRYPTION_KEY_SECOND only. It can be interrupted and repeated.',
  options: [REASON, AS],
  help: RESEAL_STEPS,
  work(options: OperatorOptions) {
    const operator = operatorOf(options);
    rejectIgnoredSealingKey(processEnvironment());
    const onProgress = (count: number) => {
      printNotice(`${count} secrets checked so far.`);
    };
    return (session) => resealSecrets({ ...session, operator, onProgress });
  },
  // With the two keys exchanged by mistake, the numbers alone look like the last step.
  lines: (report) =>
    recordAndSentences(
      report,
      report.unopened.length === 0
        ? ['Every secret is sealed under KEY_ENCRYPTION_KEY; none needs KEY_ENCRYPTION_KEY_SECOND.']
        : [],
    ),
  after({ unopened }) {
    if (unopened.length === 0) return;
    const named = unopened.slice(0, OWNERS_NAMED).join(', ');
    const more = unopened.length - OWNERS_NAMED;
    throw new Rejection(
      `These secrets open under neither key and were not changed: ${named}${more > 0 ? ` and ${more} more` : ''}. Repeat with the key that they were sealed under as KEY_ENCRYPTION_KEY_SECOND.`,
    );
  },
});

export interface ResealReport {
  readonly resealed: number;
  readonly already_sealed: number;
  /** The names of the secrets that open under neither key. They were not changed. */
  readonly unopened: readonly string[];
}

interface ResealTools extends SecretTools {
  readonly operator: Operator;
  /** Called after each full batch. @param count how many secrets were checked so far */
  readonly onProgress: (count: number) => void;
}

const BATCH_ROWS = 500;

interface SealedColumn {
  readonly table: string;
  readonly id: string;
  readonly column: string;
  readonly ownerOf: (id: string) => string;
  /** Appended to the owner's name, if the owner has two secrets. */
  readonly note?: string;
}

const ENDPOINT = { table: 'webhook_endpoints', id: 'partner_id', ownerOf: webhookSecretOwner };

/** Revoked keys and ended rotations too: no sealed secret may be left that needs the old key. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'signing_keys', id: 'key_id', column: 'secret_sealed', ownerOf: (keyId) => keyId },
  { ...ENDPOINT, column: 'secret_sealed' },
  { ...ENDPOINT, column: 'previous_secret_sealed', note: ' (before the last rotation)' },
];

interface Secret {
  readonly id: string;
  readonly name: string;
  readonly outcome: 'resealed' | 'already_sealed' | 'unopened';
}

export async function resealSecrets({
  database,
  seal,
  operator,
  onProgress,
}: ResealTools): Promise<ResealReport> {
  const secrets: Secret[] = [];
  const { actor, reason } = operator;
  const decision = { verb: 'keys reseal', given: { reason }, actor };
  const done = await decide<{ readonly action_id: number }>(database, decision);
  const actionId = done?.effect.action_id ?? 0;
  for (const column of SEALED_COLUMNS) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const last: string = after;
      const batch = await changeDirectory(database, async (connection) => {
        const checked = await resealBatch(connection, seal, column, last);
        const resealed = checked.filter(({ outcome }) => outcome === 'resealed').length;
        if (resealed > 0) await addEvents(connection, actionId, resealed);
        return checked;
      });
      secrets.push(...batch);
      after = batch.length < BATCH_ROWS ? undefined : batch.at(-1)?.id;
      if (after !== undefined) onProgress(secrets.length);
    }
  }
  const names = (wanted: Secret['outcome']) =>
    secrets.filter(({ outcome }) => outcome === wanted).map(({ name }) => name);
  return {
    resealed: names('resealed').length,
    already_sealed: names('already_sealed').length,
    unopened: names('unopened'),
  };
}

/** It locks the rows that it reads, so no secret changes before it is written. */
async function resealBatch(
  connection: Queryable,
  seal: SecretSeal,
  { table, id, column, ownerOf, note = '' }: SealedColumn,
  after: string,
): Promise<readonly Secret[]> {
  const rows = await readRows<{ readonly id: string; readonly sealed: Buffer }>(connection, {
    text: `select ${id} as id, ${column} as sealed from ${table}
            where ${id} > $1 and ${column} is not null
            order by ${id} limit $2 for no key update`,
    values: [after, BATCH_ROWS],
  });
  const changes: { readonly id: string; readonly resealed: Buffer }[] = [];
  const secrets = rows.map((row): Secret => {
    const resealed = resealOne(seal, row.sealed, ownerOf(row.id));
    if (typeof resealed !== 'string') changes.push({ id: row.id, resealed });
    const outcome = typeof resealed === 'string' ? resealed : 'resealed';
    return { id: row.id, name: ownerOf(row.id) + note, outcome };
  });
  // One statement, so that the processes that cache keys see one change, or none.
  if (changes.length > 0) {
    await connection.query({
      text: `update ${table} t set ${column} = changed.sealed
               from unnest($1::text[], $2::bytea[]) as changed (id, sealed)
              where t.${id} = changed.id`,
      values: [changes.map((change) => change.id), changes.map(({ resealed }) => resealed)],
    });
  }
  return secrets;
}

function resealOne(seal: SecretSeal, sealed: Buffer, owner: string) {
  try {
    return seal.reseal(sealed, owner) ?? 'already_sealed';
  } catch (error) {
    if (error instanceof UnopenedSecret) return 'unopened';
    throw error;
  }
}
