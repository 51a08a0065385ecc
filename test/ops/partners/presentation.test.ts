// `payctl partners set --display-name --logo`: a name that is the same to everybody, and a logo of
// which only the pixels are stored.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { PNG } from 'pngjs';
import { withDatabase, withPartner } from '../../support/brackets';
import { expectRejected, jsonOf, rejection, runPayctl } from '../../support/programs/payctl';

const bed = withDatabase();
withPartner(bed, { name: 'acme' });
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'logos-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const set = (...options: readonly string[]) =>
  runPayctl(bed, ['partners', 'set', 'acme', ...options, '--json']);

const picture = (width: number, height = width): PNG => {
  const made = new PNG({ width, height });
  made.data.fill(0x7f);
  return made;
};

function fileOf(bytes: Uint8Array): string {
  const path = join(folder, 'logo.png');
  writeFileSync(path, bytes);
  return path;
}

async function stored(): Promise<Record<string, unknown>> {
  const { rows } = await bed.database.query({
    text: `select display_name, logo_id, logo_png from partners where partner_id = 'acme'`,
    values: [],
  });
  return rows[0] ?? {};
}

beforeEach(() =>
  bed.database.query({
    text: `update partners set display_name = null, logo_id = null, logo_png = null`,
    values: [],
  }),
);

describe('--display-name', () => {
  it.each(['Siam Travel', 'สยามทราเวล', 'Công ty Du lịch Việt', "O'Neill & Söhne (7-11)", 'J<b>K'])(
    'stores the name %s as it is',
    async (name) => {
      expect(jsonOf(await set('--display-name', name))).toMatchObject({ display_name: name });
    },
  );

  it('stores one form of a letter that can be written in two', async () => {
    await set('--display-name', 'Cafe\u0301');
    expect(await stored()).toMatchObject({ display_name: 'Caf\u00e9' });
  });

  it.each([
    ['no character', ''],
    ['41 characters', 'a'.repeat(41)],
    ['a line feed', 'Siam\nTravel'],
    ['an escape', 'Siam\u001b[31m'],
    ['a mark that turns the direction', 'Siam\u202eTravel'],
    ['an isolate', '\u2067Siam'],
    ['a joiner of width zero', 'Si\u200dam'],
    ['a filler that shows nothing', 'Siam\u3164'],
    ['a private character', 'Siam\ue000'],
    ['half of a pair', 'Siam\ud800'],
    ['a no-break space', 'Siam\u00a0Travel'],
    ['two spaces', 'Siam  Travel'],
    ['a space at its end', 'Siam '],
    ['punctuation alone', '***'],
    ['a tower of marks', 'S\u0323\u0323\u0323\u0323\u0323iam'],
  ])('rejects %s with a sentence that does not repeat it', async (_what, name) => {
    const ran = await set('--display-name', name);
    expectRejected(ran, 2, /^payctl: --display-name has [ -~]+\. Expected a name in [ -~]+\.\n$/);
    expect(await stored()).toMatchObject({ display_name: null });
  });

  it('is not removed under a logo', async () => {
    await set('--display-name', 'Acme', '--logo', fileOf(PNG.sync.write(picture(64))));
    expect(await set('--display-name', 'none')).toEqual(
      rejection(
        'A logo needs a name beside it: give --display-name too, or remove the logo with --logo none.',
      ),
    );
    expect(await stored()).toMatchObject({ display_name: 'Acme' });
  });
});

describe('--logo', () => {
  const logo = (bytes: Uint8Array) => set('--display-name', 'Acme', '--logo', fileOf(bytes));

  it.each([64, 256])('stores a square of %i pixels under a new id each time', async (side) => {
    const ids = new Set<unknown>();
    for (let time = 0; time < 2; time += 1) {
      await logo(PNG.sync.write(picture(side)));
      ids.add((await stored())['logo_id']);
    }
    expect(ids.size).toBe(2);
    expect(ids).not.toContain(null);
  });

  it('stores the pixels, and nothing else of the file', async () => {
    expect((await logo(withText('Author\0<script>'))).code).toBe(0);
    const png = (await stored())['logo_png'] as Buffer;
    expect(png.toString('latin1')).not.toContain('Author');
    expect(PNG.sync.read(png).data.equals(picture(64).data)).toBe(true);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /is not a PNG/],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946000101', 'hex'), /is not a PNG/],
    ['an empty file', Buffer.alloc(0), /is not a PNG/],
    ['a picture that is not square', PNG.sync.write(picture(64, 65)), /64 by 65 pixels/],
    ['one too small', PNG.sync.write(picture(63)), /63 by 63 pixels/],
    ['one too large', PNG.sync.write(picture(257)), /257 by 257 pixels/],
    ['a size that memory cannot hold', withSide(2 ** 31 - 1), /2147483647 by 2147483647 pixels/],
    ['a size that its pixels do not have', withSide(128), /is a damaged PNG/],
    ['a second size behind the first', withSizes(picture(64), picture(64, 128)), /damaged PNG/],
    ['a file that is cut off', PNG.sync.write(picture(64)).subarray(0, 60), /is a damaged PNG/],
    ['bytes behind its end', Buffer.concat([withSide(64), Buffer.from('<script>')]), /damaged PNG/],
    ['33 kB', randomBytes(33_000), /takes 33000 bytes\. Expected at most 32768/],
    ['pixels that need more than 32 kB', noise(), /takes \d+ bytes\. Expected at most 32768/],
  ])('rejects %s with one sentence, and stores nothing', async (_what, bytes, sentence) => {
    const ran = await logo(bytes);
    expectRejected(ran, 2, sentence);
    expect(ran.stderr).toMatch(/^payctl: --logo [^\n]+\.\n$/);
    expect(await stored()).toEqual({ display_name: null, logo_id: null, logo_png: null });
  });

  it('rejects a file that is not there', async () => {
    expectRejected(await set('--logo', join(folder, 'nothing.png')), 2, /cannot be read: .*ENOENT/);
  });

  it('rejects a logo of a partner without a name', async () => {
    const ran = await set('--logo', fileOf(PNG.sync.write(picture(64))));
    expectRejected(ran, 1, /A logo needs a name beside it/);
  });
});

/** A picture with a text chunk behind its header. */
function withText(text: string): Buffer {
  const made = PNG.sync.write(picture(64));
  const content = Buffer.from(`tEXt${text}`, 'latin1');
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  checksum.writeUInt32BE(crc32(content));
  const header = 8 + 25;
  const chunk = Buffer.concat([length, content, checksum]);
  return Buffer.concat([made.subarray(0, header), chunk, made.subarray(header)]);
}

/** The header of the file says another size than its pixels have. */
function withSide(pixels: number): Buffer {
  const bytes = PNG.sync.write(picture(64));
  bytes.writeUInt32BE(pixels, 16);
  bytes.writeUInt32BE(pixels, 20);
  return bytes;
}

/** The header of one picture, then the header and the pixels of another. */
function withSizes(first: PNG, second: PNG): Buffer {
  const header = 8 + 25;
  return Buffer.concat([
    PNG.sync.write(first).subarray(0, header),
    PNG.sync.write(second).subarray(8),
  ]);
}

/** 16 grey levels, which a palette would hold in less than the limit. */
function noise(): Buffer {
  const made = picture(256);
  const values = randomBytes(made.data.length);
  for (let at = 0; at < made.data.length; at += 4) made.data.fill(values[at] ?? 0, at, at + 3);
  return PNG.sync.write(made, { colorType: 0 });
}
