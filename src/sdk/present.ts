// Rejects an empty setting early: with that of an unset variable, every call would just get a 401.

/** @throws TypeError that names the setting */
export function present(name: string, value: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} is empty: is its variable set?`);
}
