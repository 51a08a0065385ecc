// Wrong values that signing code uses by mistake. The rows of signing-mistakes.ts explain each.

const utf8 = (text: string) => Buffer.from(text, 'utf8');

const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const SHA256_OF_BRACES = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
const SHA256_OF_NULL = '74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b';

export const otherBodies = {
  /** The same JSON as other serializers write it: compact, spaced, indented, sorted, in ASCII. */
  serializedAgain(text: string): readonly Uint8Array[] {
    try {
      const value: unknown = JSON.parse(text);
      const written = [value, sorted(value)].flatMap(layouts);
      return [...written, ...written.map((it) => it.replaceAll('/', '\\/'))]
        .flatMap((it) => [it, inAscii(it)])
        .map(utf8);
    } catch {
      // Not JSON, or nested too deeply: then the caller's code has not serialized it again either.
      return [];
    }
  },

  withOtherEnd(text: string): readonly Uint8Array[] {
    return [`${text}\n`, `${text}\r\n`, text.replace(/\r?\n$/, ''), text.trim()].map(utf8);
  },

  encodedOtherwise(text: string): readonly Uint8Array[] {
    const mark = '\ufeff';
    return [
      Buffer.from(text, 'utf16le'),
      Buffer.from(mark + text, 'utf16le'),
      Buffer.from(text, 'utf16le').swap16(),
      Buffer.from(text, 'latin1'),
      utf8(mark + text),
      utf8(text.replace(mark, '')),
    ];
  },

  forNone: [SHA256_OF_NOTHING, SHA256_OF_BRACES, SHA256_OF_NULL],
};

export const otherPaths = {
  inOtherForm(path: string): readonly string[] {
    return [decoded(path), path.replace(/^\/v1/, ''), path.replace(/\/$/, ''), `${path}/`];
  },

  /** The empty text, and the path up to each of its slashes. */
  inPart(path: string): readonly string[] {
    const parts = path.split('/');
    return parts.map((_, index) => parts.slice(0, index).join('/'));
  },
};

export const otherSecrets = {
  withOtherEnds(secret: string): readonly string[] {
    const trimmed = secret.trim();
    return [`${secret}\n`, `${secret}\r\n`, `${secret} `, ` ${secret}`, trimmed, `"${trimmed}"`];
  },

  decoded(secret: string): readonly Uint8Array[] {
    return [Buffer.from(secret, 'base64'), Buffer.from(secret, 'hex')];
  },
};

/** The same instant in other formats. */
export function otherTimestamps(timestamp: string): readonly string[] {
  const whole = timestamp.replace(/\.\d+/, '');
  const withZone = [whole, timestamp].flatMap((text) => [
    text,
    text.replace('+00:00', 'Z'),
    text.replace(/z$/i, '+00:00'),
    text.toUpperCase(),
    text.replace(/T/i, ' '),
  ]);
  const ms = Date.parse(timestamp);
  if (Number.isNaN(ms)) return withZone;
  const iso = new Date(ms).toISOString();
  return [...withZone, iso, String(Math.floor(ms / 1_000)), String(ms)];
}

function layouts(value: unknown): readonly string[] {
  const indented = [2, 4].map((blanks) => JSON.stringify(value, null, blanks));
  return [JSON.stringify(value), spaced(value), ...indented];
}

function sorted(value: unknown): unknown {
  const text = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
  return JSON.parse(text);
}

/** `{"a": 1, "b": 2}`, as Python writes it. Raw newlines in JSON are always indentation. */
function spaced(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/,\n */g, ', ').replaceAll(/\n */g, '');
}

function inAscii(text: string): string {
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // An invalid escape: then the caller's code cannot have decoded it either.
    return path;
  }
}
