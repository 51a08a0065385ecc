// Schemes that an app may own, so that the checkout may return to them (decision 28). Registration
// and checkout use the same list.

/** 2 to 63 characters in lower case. */
const SCHEME = /^[a-z][a-z0-9+.-]{1,62}$/;

/** The browser or the system handles these itself. */
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
