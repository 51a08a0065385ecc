// `payctl keys reseal`: every sealed secret under another key-encryption key (architecture, section 5). A row is changed only
// while it is as it was read, so this may be interrupted, repeated, and run beside every other command.
import { webhookSecretOwner } from '../domain/webhook-event';
import type { Database, Queryable } from '../postgres/database';
import { UnopenedSecret, type SecretSeal } from '../signing/sealed-secret';
import { changeDirectory } from './directory-change';

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

/** Revoked keys too, since no sealed secret may be left that needs the old key. */
export async function resealSecrets(tools: ResealTools): Promise<ResealReport> {
  const outcomes: Outcomes = new Map();
  for (const table of [SIGNING_KEYS, WEBHOOK_SECRETS, PREVIOUS_WEBHOOK_SECRETS]) {
    await resealTable(table, tools, outcomes);
  }
  const names = (wanted: Outcome) =>
    [...outcomes].filter(([, outcome]) => outcome === wanted).map(([name]) => name);
  return {
    resealed: names('resealed').length,
    already_sealed: names('already_sealed').length,
    unopened: names('unopened'),
  };
}

type Outcome = 'resealed' | 'already_sealed' | 'unopened';
type Outcomes = Map<string, Outcome>;

interface SealedTable {
  readonly ownerOf: (id: string) => string;
  /** What people are told of it by; the owner unless that has two secrets. */
  readonly nameOf: (id: string) => string;
  readonly read: string;
  readonly write: string;
}

const SIGNING_KEYS: SealedTable = {
  ownerOf: (keyId) => keyId,
  nameOf: (keyId) => keyId,
  read: `select key_id as id, secret_sealed as sealed from signing_keys
          where key_id > $1 order by key_id limit $2`,
  write: `update signing_keys k set secret_sealed = changed.new
            from unnest($1::text[], $2::bytea[], $3::bytea[]) as changed (id, old, new)
           where k.key_id = changed.id and k.secret_sealed = changed.old
          returning k.key_id as id`,
};

const WEBHOOK_SECRETS: SealedTable = {
  ownerOf: webhookSecretOwner,
  nameOf: webhookSecretOwner,
  read: `select partner_id as id, secret_sealed as sealed from webhook_endpoints
          where partner_id > $1 order by partner_id limit $2`,
  write: `update webhook_endpoints e set secret_sealed = changed.new
            from unnest($1::text[], $2::bytea[], $3::bytea[]) as changed (id, old, new)
           where e.partner_id = changed.id and e.secret_sealed = changed.old
          returning e.partner_id as id`,
};

/** Also of rotations that are over: nothing sealed may be left that needs the old key. */
const PREVIOUS_WEBHOOK_SECRETS: SealedTable = {
  ownerOf: webhookSecretOwner,
  nameOf: (partnerId) => `${webhookSecretOwner(partnerId)} (before the last rotation)`,
  read: `select partner_id as id, previous_secret_sealed as sealed from webhook_endpoints
          where partner_id > $1 and previous_secret_sealed is not null order by partner_id limit $2`,
  write: `update webhook_endpoints e set previous_secret_sealed = changed.new
            from unnest($1::text[], $2::bytea[], $3::bytea[]) as changed (id, old, new)
           where e.partner_id = changed.id and e.previous_secret_sealed = changed.old
          returning e.partner_id as id`,
};

interface SealedRow {
  readonly id: string;
  readonly sealed: Buffer;
}

interface ResealedRow extends SealedRow {
  readonly resealed: Buffer;
}

async function resealTable(
  table: SealedTable,
  { database, seal, onProgress }: ResealTools,
  outcomes: Outcomes,
): Promise<void> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const rows = await readBatch(database, table, after);
    const changes = judgeBatch(rows, { table, seal, outcomes });
    const written = await writeBatch(database, table, changes);
    for (const id of written) outcomes.set(table.nameOf(id), 'resealed');
    // Somebody changed a row after it was read: the batch is read once more.
    if (written.length < changes.length) continue;
    after = rows.length < BATCH_ROWS ? undefined : rows.at(-1)?.id;
    if (after !== undefined) onProgress(outcomes.size);
  }
}

async function readBatch(
  database: Queryable,
  table: SealedTable,
  after: string,
): Promise<readonly SealedRow[]> {
  const { rows } = await database.query<SealedRow>({
    text: table.read,
    values: [after, BATCH_ROWS],
  });
  return rows;
}

interface Judging {
  readonly table: SealedTable;
  readonly seal: SecretSeal;
  readonly outcomes: Outcomes;
}

/** Notes the rows that stay as they are, and answers the others with what is to be written. */
function judgeBatch(
  rows: readonly SealedRow[],
  { table, seal, outcomes }: Judging,
): readonly ResealedRow[] {
  return rows.flatMap((row) => {
    const name = table.nameOf(row.id);
    const judged = judge(seal, row.sealed, table.ownerOf(row.id));
    if (typeof judged !== 'string') return [{ ...row, resealed: judged }];
    // What this run has resealed is found sealed when its batch is read again.
    if (outcomes.get(name) !== 'resealed') outcomes.set(name, judged);
    return [];
  });
}

function judge(
  seal: SecretSeal,
  sealed: Buffer,
  owner: string,
): Buffer | 'already_sealed' | 'unopened' {
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
  table: SealedTable,
  changes: readonly ResealedRow[],
): Promise<readonly string[]> {
  if (changes.length === 0) return [];
  const { rows } = await changeDirectory(database, (connection) =>
    connection.query<{ readonly id: string }>({
      text: table.write,
      values: [
        changes.map(({ id }) => id),
        changes.map(({ sealed }) => sealed),
        changes.map(({ resealed }) => resealed),
      ],
    }),
  );
  return rows.map(({ id }) => id);
}
