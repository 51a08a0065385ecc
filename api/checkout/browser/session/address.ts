// The fragment, taken out of the address (protocol 6.1).

/** What stood behind `#`. Afterwards neither address bar nor history nor anything on the page can see it. */
export function takeFragment(): string {
  const { hash, pathname } = location;
  history.replaceState(null, '', pathname);
  return hash;
}
