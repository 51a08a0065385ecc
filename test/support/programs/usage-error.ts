// Whether a command line could not be read, for programs of tests that exit with 2 then.

/** Of `parseArgs` in node:util. */
export function isUsageError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE');
}
