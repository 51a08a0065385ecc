// `payctl keys reseal`: seals every stored secret under another key-encryption key (architecture,
// section 5). A row changes only if it is still as it was read, so that the command can be
// interrupted, repeated, and run beside every other command.
import { processEnvironment } from '../../config/config';
import { webhookSecretOwner } from '../../domain/webhooks/event';
import { readRows, type Database, type Queryable } from '../../postgres/database';
import { UnopenedSecret, type SecretSeal } from '../../signing/sealed-secret';
import { rejectIgnoredSealingKey } from '../environment';
import { recordAndSentences } from '../layout';
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
  help: RESEAL_STEPS,
  work() {
    rejectIgnoredSealingKey(processEnvironment());
    const onProgress = (count: number) => {
      printNotice(`${count} secrets checked so far.`);
    };
    return (session) => resealSecrets({ ...session, onProgress });
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

type Outcome = 'resealed' | 'already_sealed' | 'unopened';
/** By the name of the secret. */
type Outcomes = Map<string, Outcome>;

export async function resealSecrets(tools: ResealTools): Promise<ResealReport> {
  const outcomes: Outcomes = new Map();
  for (const column of SEALED_COLUMNS) await resealColumn(column, tools, outcomes);
  const names = (wanted: Outcome) =>
    [...outcomes].filter(([, outcome]) => outcome === wanted).map(([name]) => name);
  return {
    resealed: names('resealed').length,
    already_sealed: names('already_sealed').length,
    unopened: names('unopened'),
  };
}

async function resealColumn(
  column: SealedColumn,
  { database, seal, onProgress }: ResealTools,
  outcomes: Outcomes,
): Promise<void> {
  const nameOf = (id: string) => column.ownerOf(id) + (column.note ?? '');
  let after: string | undefined = '';
  while (after !== undefined) {
    const rows = await readBatch(database, column, after);
    const changes = rows.flatMap((row) => {
      const resealed = resealOne(seal, row.sealed, column.ownerOf(row.id));
      if (typeof resealed !== 'string') return [{ ...row, resealed }];
      // A secret that this command has resealed is found sealed when its batch is read again.
      if (outcomes.get(nameOf(row.id)) !== 'resealed') outcomes.set(nameOf(row.id), resealed);
      return [];
    });
    const written = await writeBatch(database, column, changes);
    for (const id of written) outcomes.set(nameOf(id), 'resealed');
    // Another command changed a row after it was read, so the batch is read again.
    if (written.length < changes.length) continue;
    after = rows.length < BATCH_ROWS ? undefined : rows.at(-1)?.id;
    if (after !== undefined) onProgress(outcomes.size);
  }
}

interface SealedRow {
  readonly id: string;
  readonly sealed: Buffer;
}

function readBatch(
  database: Queryable,
  { table, id, column }: SealedColumn,
  after: string,
): Promise<readonly SealedRow[]> {
  return readRows(database, {
    text: `select ${id} as id, ${column} as sealed from ${table}
            where ${id} > $1 and ${column} is not null order by ${id} limit $2`,
    values: [after, BATCH_ROWS],
  });
}

function resealOne(
  seal: SecretSeal,
  sealed: Buffer,
  owner: string,
): Buffer | Exclude<Outcome, 'resealed'> {
  try {
    return seal.reseal(sealed, owner) ?? 'already_sealed';
  } catch (error) {
    if (error instanceof UnopenedSecret) return 'unopened';
    throw error;
  }
}

/**
 * One statement, so that the processes that cache keys see one change.
 * @returns the ids of the rows that it changed
 */
async function writeBatch(
  database: Database,
  { table, id, column }: SealedColumn,
  changes: readonly (SealedRow & { readonly resealed: Buffer })[],
): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const rows = await changeDirectory(database, (connection) =>
    readRows<{ readonly id: string }>(connection, {
      text: `update ${table} t set ${column} = changed.new
               from unnest($1::text[], $2::bytea[], $3::bytea[]) as changed (id, old, new)
              where t.${id} = changed.id and t.${column} = changed.old
             returning t.${id} as id`,
      values: [
        changes.map((change) => change.id),
        changes.map(({ sealed }) => sealed),
        changes.map(({ resealed }) => resealed),
      ],
    }),
  );
  return rows.map((row) => row.id);
}
