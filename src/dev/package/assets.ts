// The files of the product that are not code.

/** Read at run time by the compiled file beside them, so they keep their path. */
export const ASSETS = [
  'src/postgres/migrations',
  'src/sandbox/reference',
  'api/openapi.yaml',
  'api/openapi.json',
];
