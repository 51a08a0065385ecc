// Statements with named parameters.
import type { QueryConfig } from 'pg';

/**
 * A statement with named parameters: `$intent_id` in the text is the member of that name among the
 * values.
 */
export function named(name: string, text: string) {
  const parameters: string[] = [];
  const numbered = text.replaceAll(/\$([a-z_]+)/g, (_all, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${String(parameters.indexOf(parameter) + 1)}`;
  });
  /** An undefined value becomes null. @throws Error when a parameter is not among the values */
  return (values: Readonly<Record<string, unknown>>): QueryConfig => ({
    name,
    text: numbered,
    values: parameters.map((parameter) => {
      if (!(parameter in values)) throw new Error(`a statement has no value for $${parameter}`);
      return values[parameter] ?? null;
    }),
  });
}
