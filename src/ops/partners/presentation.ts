// What payers see of a partner on the checkout (decision 144): a name of plain text, and a logo
// that we write again from its pixels, so that nothing else of the file is ever served.
import { readFileSync, statSync } from 'node:fs';
import { PNG } from 'pngjs';
import { hasCharacters } from '../../domain/characters';
import { BadOption } from '../rejection';
import { option } from '../verb';

export const PRESENTATION = [
  option('--display-name <name>', 'the name that payers see on the checkout; "none" for no name'),
  option('--logo <file>', 'its logo: a square PNG of 64 to 256 pixels; "none" for no logo'),
];

const NONE = 'none';
const NAME_MAX_CHARACTERS = 40;
const SIDE_MIN_PIXELS = 64;
const SIDE_MAX_PIXELS = 256;
/** Twice the page itself; the page waits for no logo. */
const LOGO_MAX_BYTES = 32_768;

interface NameRule {
  readonly breaks: (name: string) => boolean;
  readonly text: string;
}

/** A name must look the same to everybody, and must not change the text around it. */
const NAME_RULES: readonly NameRule[] = [
  {
    breaks: (name) => !hasCharacters(name, NAME_MAX_CHARACTERS),
    text: `has not 1 to ${NAME_MAX_CHARACTERS} characters`,
  },
  {
    // Controls, marks of direction, joiners, fillers, private and unassigned characters.
    breaks: (name) => /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(name),
    text: 'has a control character or an invisible one, such as a mark of direction',
  },
  {
    breaks: (name) => /^ | $| {2}|[^\S ]/u.test(name),
    text: 'has a space at its start or end, two in a row, or one that is no plain space',
  },
  { breaks: (name) => !/[\p{L}\p{N}]/u.test(name), text: 'has no letter and no digit' },
  { breaks: (name) => /\p{M}{4}/u.test(name), text: 'has more than three marks on one letter' },
];

/** Null removes the name. @throws BadOption */
export function parseDisplayName(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  if (text === NONE) return null;
  const name = text.normalize('NFC');
  const broken = NAME_RULES.find(({ breaks }) => breaks(name));
  if (broken === undefined) return name;
  // The text itself may be unfit for a terminal.
  throw new BadOption(
    `--display-name ${broken.text}. Expected a name in letters, digits, punctuation and single spaces.`,
  );
}

/** Null removes the logo. @throws BadOption */
export function parseLogo(file: string | undefined): Buffer | null | undefined {
  if (file === undefined) return undefined;
  return file === NONE ? null : rewritten(readLogo(file), file);
}

function readLogo(file: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size > LOGO_MAX_BYTES) throw tooLarge(file, size);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof BadOption) throw error;
    throw new BadOption(`--logo ${file} cannot be read: ${String(error)}.`, { cause: error });
  }
}

/** The picture without text, profiles, animation, and anything behind its end. */
function rewritten(bytes: Buffer, file: string): Buffer {
  requireSize(bytes, file);
  let picture: Buffer;
  try {
    picture = PNG.sync.write(PNG.sync.read(bytes), { deflateLevel: 9 });
  } catch (error) {
    throw damaged(file, error);
  }
  if (picture.length > LOGO_MAX_BYTES) throw tooLarge(file, picture.length);
  return picture;
}

const PNG_BEGINS = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/**
 * Reads the first chunk before anything is decoded: the size bounds what a decoder needs. The
 * decoder would take the size of a later header chunk, so there may be none.
 */
function requireSize(bytes: Buffer, file: string): void {
  const { length } = PNG_BEGINS;
  if (bytes.length < length + 8 || !bytes.subarray(0, length).equals(PNG_BEGINS)) {
    throw new BadOption(`--logo ${file} is not a PNG. Save the picture as PNG.`);
  }
  if (bytes.includes('IHDR', length)) throw damaged(file);
  const [width, height] = [bytes.readUInt32BE(length), bytes.readUInt32BE(length + 4)];
  if (width === height && width >= SIDE_MIN_PIXELS && width <= SIDE_MAX_PIXELS) return;
  throw new BadOption(
    `--logo ${file} has ${width} by ${height} pixels. Expected a square of ${SIDE_MIN_PIXELS} to ${SIDE_MAX_PIXELS}.`,
  );
}

function damaged(file: string, cause?: unknown): BadOption {
  return new BadOption(`--logo ${file} is a damaged PNG. Save the picture again.`, { cause });
}

function tooLarge(file: string, bytes: number): BadOption {
  return new BadOption(
    `--logo ${file} takes ${bytes} bytes. Expected at most ${LOGO_MAX_BYTES}: give a smaller or simpler picture.`,
  );
}
