// `npm run test:alarms -- [--only NAME]… [--json]`: for each trouble it starts the system of
// `npm start` anew under a real Prometheus with the rules unmodified, produces the trouble, and
// measures the seconds until its alarm fires, until a command shows what is wrong, and from the
// command that ends the trouble until the alarm is over. Needs `prometheus` and `pgrep` on the
// PATH, and three to twelve minutes for a trouble. Exit codes: 0 all fired and were understood, 1
// one did not.
import { parseArgs } from 'node:util';
import { measure, note, type Measured } from './measure';
import { TROUBLES } from './troubles';

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string', multiple: true }, json: { type: 'boolean' } },
  });
  const chosen = TROUBLES.filter(({ name }) => values.only?.includes(name) ?? true);
  if (chosen.length === 0) {
    throw new Error(`There are: ${TROUBLES.map(({ name }) => name).join(', ')}.`);
  }
  const all: Measured[] = [];
  for (const [index, trouble] of chosen.entries()) {
    note(`${String(index + 1)} of ${String(chosen.length)}: ${trouble.name}`);
    all.push(await measure(trouble));
  }
  const report = values.json === true ? JSON.stringify(all, null, 2) : tableOf(all);
  process.stdout.write(`${report}\n`);
  const isMissing = (one: Measured) => one.alarmSeconds === null || one.shownSeconds === null;
  if (all.some(isMissing)) process.exitCode = 1;
}

function tableOf(all: readonly Measured[]): string {
  const rows = all.map((one) => [
    ...[one.trouble, one.alarm, one.alarmSeconds],
    ...[one.shownSeconds, one.endedSeconds],
  ]);
  return [['trouble', 'alarm', 'alarm s', 'shown s', 'ended s'], ...rows]
    .map((row) => row.map((cell) => String(cell ?? '-').padEnd(26)).join(''))
    .join('\n');
}

main(process.argv.slice(2)).catch((error: unknown) => {
  note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
