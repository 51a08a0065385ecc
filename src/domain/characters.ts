// Length of a text in characters: Unicode code points, as Postgres' char_length and JSON Schema's
// maxLength count them.

export function hasCharacters(text: string, max: number): boolean {
  const { length } = [...text];
  return length >= 1 && length <= max;
}
