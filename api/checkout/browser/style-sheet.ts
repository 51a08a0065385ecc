// Loads style sheet and icon. The program does it, not the page, so that the token is removed from
// the address before these requests.

/** After this the page is shown without style: that is better than to wait for ever. */
const STYLE_TIMEOUT_MS = 3_000;

/** Resolves when screens may be drawn. */
export function loadStyle(): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    // For print until it is here: it then applies in the same frame in which the first screen is
    // drawn, and moves nothing that was painted before.
    link.media = 'print';
    link.setAttribute('fetchpriority', 'high');
    link.href = STYLE_URL;
    const done = () => resolve();
    link.addEventListener('load', () => {
      link.media = 'all';
      done();
    });
    link.addEventListener('error', done);
    setTimeout(done, STYLE_TIMEOUT_MS);
    document.head.append(link);
  });
}

export function loadIcon(): void {
  const link = document.createElement('link');
  link.rel = 'icon';
  link.href = ICON_URL;
  document.head.append(link);
}
