// A table for people, JSON for programs.

export function printRecord(record: object, asJson: boolean): void {
  process.stdout.write(asJson ? `${JSON.stringify(record, null, 2)}\n` : table(record));
}

function table(record: object): string {
  const rows = Object.entries(record).map(
    ([name, value]) => [name, value === null ? '-' : String(value)] as const,
  );
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}
