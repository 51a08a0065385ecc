// The lines of a text that is read in pieces, of which no more than one line is held.

/** Undefined stands for a line that is longer than that: it is given up where it is found to be, and what is left of it is skipped. */
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
