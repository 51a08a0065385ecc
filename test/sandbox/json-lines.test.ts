// The durable file of JSON lines that stores the provider's journal and the inboxes (architecture,
// section 6).
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JsonLines } from '../../src/sandbox/json-lines';
import { makeFolder, removeFolder } from './sandbox-folder';

let folder = '';
let path = '';

beforeEach(async () => {
  folder = await makeFolder();
  path = join(folder, 'lines.jsonl');
});
afterEach(() => removeFolder(folder));

async function openAndShow(): Promise<{ readonly lines: JsonLines; readonly entries: unknown[] }> {
  const entries: unknown[] = [];
  const lines = await JsonLines.open(path, (entry) => entries.push(entry));
  return { lines, entries };
}

async function all(lines: JsonLines): Promise<string[]> {
  const texts: string[] = [];
  for await (const text of lines.read()) texts.push(text);
  return texts;
}

describe('a file of JSON lines', () => {
  it('has an entry on the disk when append resolves', async () => {
    const { lines } = await openAndShow();
    await lines.append({ text: 'one\ntwo' });
    expect(await readFile(path, 'utf8')).toBe('{"text":"one\\ntwo"}\n');
    await lines.close();
  });

  it('stores concurrent appends in order, and reads them when it is opened again', async () => {
    const { lines } = await openAndShow();
    const numbers = Array.from({ length: 500 }, (_, number) => ({ number }));
    await Promise.all(numbers.map((entry) => lines.append(entry)));
    expect(await all(lines)).toEqual(numbers.map((entry) => JSON.stringify(entry)));
    await lines.close();
    const again = await openAndShow();
    expect(again.entries).toEqual(numbers);
    await again.lines.close();
  });

  it('finishes the appends under way before it closes', async () => {
    const { lines } = await openAndShow();
    const appending = [1, 2, 3].map((number) => lines.append({ number }));
    await lines.close();
    await Promise.all(appending);
    expect((await readFile(path, 'utf8')).split('\n')).toHaveLength(4);
  });

  it('rejects an append once it is closed', async () => {
    const { lines } = await openAndShow();
    await lines.close();
    await expect(lines.append({})).rejects.toThrow('the file is closed');
  });

  it.each(['{"number":2', '{"number":2}', '\0\0\0\0'])(
    'cuts off the torn last line %j and appends after the complete lines',
    async (torn) => {
      await writeFile(path, `{"number":1}\n${torn}`);
      const { lines, entries } = await openAndShow();
      expect(entries).toEqual([{ number: 1 }]);
      await lines.append({ number: 3 });
      expect(await readFile(path, 'utf8')).toBe('{"number":1}\n{"number":3}\n');
      await lines.close();
    },
  );

  it('does not change a file in which a complete line is not JSON', async () => {
    const text = '{"number":1}\nnot ours\n{"number":2}\n';
    await writeFile(path, text);
    await expect(openAndShow()).rejects.toThrow(`cannot open ${path} as a file of JSON lines`);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('reads lines that are longer than one read of the file', async () => {
    const entry = { text: 'é'.repeat(100_000) };
    await writeFile(path, `${JSON.stringify(entry)}\n{"number":2}\n`);
    const { lines, entries } = await openAndShow();
    expect(entries).toEqual([entry, { number: 2 }]);
    await lines.close();
  });

  it('rejects a line that is longer than it writes any', async () => {
    await writeFile(path, `"${'x'.repeat(2_000_000)}"\n`);
    await expect(openAndShow()).rejects.toMatchObject({
      cause: { message: 'a line is too long, at byte 0' },
    });
  });

  it('gives a reader the lines that were durable when it began', async () => {
    const { lines } = await openAndShow();
    await lines.append({ number: 1 });
    const reader = lines.read();
    expect(await reader.next()).toMatchObject({ value: '{"number":1}' });
    await appendFile(path, '{"number":2}\n');
    expect(await reader.next()).toMatchObject({ done: true });
    await lines.close();
  });
});
