// Reads a text in pieces and holds no more than one line of it in memory.

/**
 * Yields undefined for a line that is longer than `maxLength`, as soon as that is known, and skips
 * the rest of that line.
 */
export async function* readLines(
  pieces: AsyncIterable<string>,
  maxLength: number,
): AsyncGenerator<string | undefined> {
  let rest = '';
  let isSkipping = false;
  for await (const piece of pieces) {
    const text = rest + piece;
    const end = text.lastIndexOf('\n');
    rest = text.slice(end + 1);
    if (end !== -1) {
      const lines = text.slice(0, end).split('\n');
      yield* isSkipping ? lines.slice(1) : lines;
      isSkipping = false;
    }
    if (rest.length > maxLength) {
      if (!isSkipping) yield undefined;
      isSkipping = true;
      rest = '';
    }
  }
  if (!isSkipping) yield rest;
}
