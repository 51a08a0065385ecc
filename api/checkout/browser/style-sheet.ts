// The style sheet, asked for by the program and not by the page, so that it comes after the address is clean.

/** A page without style works too: better than one that waits for ever. */
const WAITED_FOR_MS = 3_000;

/** Comes back when screens may be drawn. */
export function loadStyle(): Promise<void> {
  return new Promise((resolve) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = STYLE_URL;
    const done = () => {
      resolve();
    };
    link.addEventListener('load', done);
    link.addEventListener('error', done);
    setTimeout(done, WAITED_FOR_MS);
    document.head.append(link);
  });
}
