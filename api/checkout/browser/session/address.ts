// Removes the fragment from the address (protocol 6.1).

/**
 * Returns the fragment and removes it: afterwards neither address bar nor history nor any script
 * can read it.
 */
export function takeFragment(): string {
  const { hash, pathname } = location;
  history.replaceState(null, '', pathname);
  return hash;
}
