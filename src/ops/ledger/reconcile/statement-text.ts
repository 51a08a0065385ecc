// Decodes the bytes of a statement: UTF-8 without a byte order mark, with a digest of all bytes.
import { createHash } from 'node:crypto';
import { TextDecoder } from 'node:util';
import { UnreadableStatement } from '../../rejection';

export interface StatementText {
  readonly chunks: AsyncGenerator<string>;
  /** The digest of all bytes, complete once all chunks have been read. */
  sha256(): Buffer;
  /** Whether the last character so far ends a line. */
  endsLine(): boolean;
}

export function decodeStatement(bytes: AsyncIterable<Uint8Array>): StatementText {
  const hash = createHash('sha256');
  let last = '';
  return {
    chunks: decode(),
    sha256: () => hash.digest(),
    endsLine: () => last === '\n' || last === '\r',
  };

  async function* decode(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let lines = 1;
    for await (const chunk of bytes) {
      hash.update(chunk);
      const text = decoded(decoder, chunk, lines);
      lines += countLineBreaks(text);
      last = text.at(-1) ?? last;
      yield text;
    }
    decoded(decoder, undefined, lines);
  }
}

/** @param chunk undefined at the end, where no character may be incomplete */
function decoded(decoder: TextDecoder, chunk: Uint8Array | undefined, line: number): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch (cause) {
    const valid = new TextDecoder().decode(chunk).split('\ufffd', 1)[0] ?? '';
    throw new UnreadableStatement(line + countLineBreaks(valid), 'it is not UTF-8.', { cause });
  }
}

function countLineBreaks(text: string): number {
  return text.split('\n').length - 1;
}
