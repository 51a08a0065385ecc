// Which schemes an app may own, so that the checkout may return to them (decision 28). One list for registering a
// scheme and for using it.

/** 2 to 63 characters in lower case, as operating systems compare them. */
const SCHEME = /^[a-z][a-z0-9+.-]{1,62}$/;

/** A browser or the system acts on these itself. */
const NEVER_AN_APPS_OWN: ReadonlySet<string> = new Set([
  'http',
  'https',
  'javascript',
  'data',
  'file',
  'intent',
  'blob',
  'about',
  'vbscript',
]);

export function isReturnScheme(text: string): boolean {
  return SCHEME.test(text) && !NEVER_AN_APPS_OWN.has(text);
}
