// Notices that the payer has left the page, for what must not go on then.

/** @returns a function that ends the watch */
export function onHidden(listener: () => void): () => void {
  const listen = () => {
    if (document.visibilityState === 'hidden') listener();
  };
  document.addEventListener('visibilitychange', listen);
  return () => document.removeEventListener('visibilitychange', listen);
}
