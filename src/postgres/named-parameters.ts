// Statements whose parameters have names: `$intent_id` in the text, and a member of that name among the values.

export interface NamedStatement {
  /** As Postgres takes it, with numbers. */
  readonly text: string;
  /** In the order of those numbers. */
  readonly parameters: readonly string[];
}

export function named(text: string): NamedStatement {
  const parameters: string[] = [];
  const numbered = text.replaceAll(/\$([a-z_]+)/g, (_all, name: string) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${String(parameters.indexOf(name) + 1)}`;
  });
  return { text: numbered, parameters };
}

/** @throws Error when a parameter has no value; null is one */
export function valuesOf(
  { parameters }: NamedStatement,
  values: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  return parameters.map((name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`a statement has no value for $${name}`);
    return value;
  });
}
