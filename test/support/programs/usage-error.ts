// Detects an invalid command line, after which test programs exit with 2.

/** True for an error of `parseArgs` in node:util. */
export function isUsageError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE');
}
