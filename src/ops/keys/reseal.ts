// `payctl keys reseal`: every sealed secret under another key-encryption key (architecture, section 5). A row is changed only
// while it is as it was read, so this may be interrupted, repeated, and run beside every other command.
import { webhookSecretOwner } from '../../domain/webhooks/event';
import type { Database, Queryable } from '../../postgres/database';
import { UnopenedSecret, type SecretSeal } from '../../signing/sealed-secret';
import { changeDirectory } from '../partners/directory-change';

export interface ResealReport {
  readonly resealed: number;
  readonly already_sealed: number;
  /** By their names, the secrets that open under none of the keys. They were left as they are. */
  readonly unopened: readonly string[];
}

interface ResealTools {
  readonly database: Database;
  readonly seal: SecretSeal;
  /** Told after each full batch how many secrets were looked at so far. */
  readonly onProgress: (count: number) => void;
}

const BATCH_ROWS = 500;

interface SealedColumn {
  readonly table: string;
  readonly id: string;
  readonly column: string;
  readonly ownerOf: (id: string) => string;
  /** Behind the owner, where that has two secrets. */
  readonly note?: string;
}

const ENDPOINT = { table: 'webhook_endpoints', id: 'partner_id', ownerOf: webhookSecretOwner };

/** Also revoked keys and the secrets before rotations that are over: nothing sealed may be left that needs the old key. */
const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'signing_keys', id: 'key_id', column: 'secret_sealed', ownerOf: (keyId) => keyId },
  { ...ENDPOINT, column: 'secret_sealed' },
  { ...ENDPOINT, column: 'previous_secret_sealed', note: ' (before the last rotation)' },
];

type Outcome = 'resealed' | 'already_sealed' | 'unopened';
/** By the names of the secrets. */
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
      const resealed = reseal(seal, row.sealed, column.ownerOf(row.id));
      if (typeof resealed !== 'string') return [{ ...row, resealed }];
      // What this run has resealed is found sealed when its batch is read again.
      if (outcomes.get(nameOf(row.id)) !== 'resealed') outcomes.set(nameOf(row.id), resealed);
      return [];
    });
    const written = await writeBatch(database, column, changes);
    for (const id of written) outcomes.set(nameOf(id), 'resealed');
    // Somebody changed a row after it was read: the batch is read once more.
    if (written.length < changes.length) continue;
    after = rows.length < BATCH_ROWS ? undefined : rows.at(-1)?.id;
    if (after !== undefined) onProgress(outcomes.size);
  }
}

interface SealedRow {
  readonly id: string;
  readonly sealed: Buffer;
}

async function readBatch(
  database: Queryable,
  { table, id, column }: SealedColumn,
  after: string,
): Promise<readonly SealedRow[]> {
  const { rows } = await database.query<SealedRow>({
    text: `select ${id} as id, ${column} as sealed from ${table}
            where ${id} > $1 and ${column} is not null order by ${id} limit $2`,
    values: [after, BATCH_ROWS],
  });
  return rows;
}

function reseal(
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

/** One statement, so that the processes which remember keys see one change. Answers the ids of the rows it changed. */
async function writeBatch(
  database: Database,
  { table, id, column }: SealedColumn,
  changes: readonly (SealedRow & { readonly resealed: Buffer })[],
): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const { rows } = await changeDirectory(database, (connection) =>
    connection.query<{ readonly id: string }>({
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
