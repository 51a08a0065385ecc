// `payctl keys issue | list | revoke | reseal` (docs/operations.md): arguments, help, and what is printed.
import type { Command } from 'commander';
import { processEnvironment } from '../config';
import { refuseIgnoredSealingKey } from './environment';
import { printRecord, printRows, tell } from './print';
import { Refusal } from './refusal';
import { resealSecrets } from './reseal';
import { inSession } from './session';
import { issueKey, listKeys, revokeKey, type IssuedKey, type ListedKey } from './signing-keys';

interface Printing {
  readonly json?: boolean;
}

export function addKeysCommands(payctl: Command): void {
  const keys = payctl
    .command('keys')
    .description('Rotate signing keys, and the key that seals them.');
  keys
    .command('issue')
    .description(
      "Issue a partner's next signing key, whose secret is printed this once. Older keys end 14 days later, unless they end before; at most 3 are active at once.",
    )
    .argument('<partner>', 'a partner_id')
    .option('--json', 'print JSON')
    .action(runIssue);
  keys
    .command('list')
    .description(
      "List a partner's signing keys, oldest first. revokes_at is when an active key ends, and when a revoked one ended, be it by hand or by itself.",
    )
    .argument('<partner>', 'a partner_id')
    .option('--json', 'print JSON')
    .action(runList);
  keys
    .command('revoke')
    .description('Revoke a signing key at once and for good. To repeat it changes nothing.')
    .argument('<key_id>', 'as "keys list" shows it')
    .option('--json', 'print JSON')
    .action(runRevoke);
  keys
    .command('reseal')
    .description(
      'Seal every stored secret under KEY_ENCRYPTION_KEY that opens under KEY_ENCRYPTION_KEY_SECOND only. It may be interrupted and repeated.',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', RESEAL_STEPS)
    .action(runReseal);
}

const RESEAL_STEPS = `
To replace the key-encryption key without a pause:
  1. Start every api and worker with the new key as KEY_ENCRYPTION_KEY_SECOND, beside the old one.
  2. Give payctl the new key as KEY_ENCRYPTION_KEY and the old one as KEY_ENCRYPTION_KEY_SECOND,
     from now on and for every command, and run "keys reseal".
  3. Run it again: it says that none was resealed and that all open. Then start every process,
     and payctl, with the new key alone. Destroy the old one when the last backup from before
     is gone.`;

async function runIssue(partnerId: string, { json }: Printing): Promise<void> {
  const issued = await inSession((session) => issueKey(session, partnerId));
  const { key_id, signing_secret } = issued;
  printRecord({ key_id, signing_secret }, json === true, issueSentences(issued));
}

function issueSentences({ older }: IssuedKey): readonly string[] {
  return [
    'The secret is shown this once: hand it over now.',
    ...older.map(({ key_id, revokes_at }) => `${key_id} stops working at ${instant(revokes_at)}.`),
  ];
}

async function runList(partnerId: string, { json }: Printing): Promise<void> {
  const keys: readonly ListedKey[] = await inSession(({ database }) =>
    listKeys(database, partnerId),
  );
  printRows(keys, json === true, `Partner ${partnerId} has no keys.`);
}

async function runRevoke(keyId: string, { json }: Printing): Promise<void> {
  const revoked = await inSession(({ database }) => revokeKey(database, keyId));
  const { key_id, status, partnerId, activeKeysLeft } = revoked;
  printRecord({ key_id, status }, json === true);
  if (activeKeysLeft > 0) return;
  tell(
    `Partner ${partnerId} has no active key left and cannot sign a request. Issue one: payctl keys issue ${partnerId}.`,
  );
}

async function runReseal({ json }: Printing): Promise<void> {
  refuseIgnoredSealingKey(processEnvironment());
  const onProgress = (count: number) => {
    tell(`${count} secrets looked at so far.`);
  };
  const report = await inSession((session) => resealSecrets({ ...session, onProgress }));
  printRecord(report, json === true);
  if (report.unopened.length > 0) throw unopenedLeft(report.unopened);
}

const OWNERS_NAMED = 5;

function unopenedLeft(owners: readonly string[]): Refusal {
  const named = owners.slice(0, OWNERS_NAMED).join(', ');
  const more = owners.length > OWNERS_NAMED ? ` and ${owners.length - OWNERS_NAMED} more` : '';
  return new Refusal(
    `Left as they were, since they open under neither key: ${named}${more}. Repeat with the key they were sealed under as KEY_ENCRYPTION_KEY_SECOND.`,
  );
}

function instant(at: Date | null): string {
  return at === null ? 'no set time' : at.toISOString();
}
