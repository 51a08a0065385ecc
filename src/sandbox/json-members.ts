// Reads JSON from outside the sandbox (request bodies, its own files) without trusting its shape.

export type Members = Readonly<Record<string, unknown>>;

/** The members of a JSON object; empty when the value is anything else. */
export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The parsed value, or undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // JSON has no undefined, so the caller cannot mistake it for a value.
    return undefined;
  }
}
