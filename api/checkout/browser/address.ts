// The fragment, taken out of the address (spec, end-to-end flow, step 4: "then removes the hash from the address").

/** What stood behind `#`. Afterwards neither address bar nor history nor anything on the page can see it. */
export function takeFragment(): string {
  const { hash, pathname } = location;
  history.replaceState(null, '', pathname);
  return hash;
}
