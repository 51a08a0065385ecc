// The code of a system error, such as ENOENT. Not by `instanceof`: under Jest, errors of Node come from another realm.

export function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
