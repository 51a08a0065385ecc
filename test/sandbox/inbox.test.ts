// An inbox has a limit: it stores the newest entries, in order, over restarts.
import { readdir } from 'node:fs/promises';
import { openInbox, type Inbox } from '../../src/sandbox/inbox';
import { makeFolder, removeFolder } from './sandbox-folder';

let folder = '';
beforeEach(async () => {
  folder = await makeFolder();
});
afterEach(() => removeFolder(folder));

const entry = (number: number) => ({ received_at: '', headers: {}, body: String(number) });

async function bodies(inbox: Inbox): Promise<string[]> {
  const texts: string[] = [];
  for await (const line of inbox.read()) {
    texts.push((JSON.parse(line) as { readonly body: string }).body);
  }
  return texts;
}

describe('an inbox', () => {
  it('stores at least one full file of the newest entries, and at most two', async () => {
    const inbox = await openInbox(folder, 'acme', 10);
    for (let number = 1; number <= 25; number += 1) await inbox.append(entry(number));
    expect(await bodies(inbox)).toEqual(
      Array.from({ length: 15 }, (_, index) => String(index + 11)),
    );
    expect(await readdir(folder)).toHaveLength(2);
    await inbox.close();
  });

  it('loses no entry that arrives during the change to the next file', async () => {
    const inbox = await openInbox(folder, 'acme', 10);
    await Promise.all(Array.from({ length: 18 }, (_, index) => inbox.append(entry(index))));
    expect(await bodies(inbox)).toEqual(Array.from({ length: 18 }, (_, index) => String(index)));
    await inbox.close();
  });

  it('continues after a restart where it was', async () => {
    const first = await openInbox(folder, 'acme', 2);
    for (let number = 1; number <= 3; number += 1) await first.append(entry(number));
    await first.close();
    const second = await openInbox(folder, 'acme', 2);
    await second.append(entry(4));
    await second.append(entry(5));
    expect(await bodies(second)).toEqual(['3', '4', '5']);
    await second.close();
  });
});
