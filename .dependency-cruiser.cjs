// The imports that each directory may have. A new library or directory needs a line here first.
const { builtinModules } = require('node:module');

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const npm = (...names) => names.map((name) => `node_modules/(@types/)?${escaped(name)}/`);
const node = (...names) => names.map((name) => `^(node:)?${escaped(name)}$`);
const ANY_NODE = node(...builtinModules);
// The corridors are part of it: a folder each.
const DOMAIN = '^src/(domain|corridors)/';
const PORTS = '^src/ports/';
const SIGNING = '^src/signing/';
const SETUP = ['^src/dev/setup/', ...ANY_NODE];

/** `atRunTime` and `typesOnly` list what a directory may import besides itself. */
const ROWS = [
  { from: '^src/domain/', atRunTime: [DOMAIN], typesOnly: [] },
  { from: '^src/corridors/', atRunTime: [DOMAIN], typesOnly: [] },
  { from: '^src/ports/', atRunTime: [], typesOnly: [DOMAIN] },
  {
    from: '^src/signing/',
    atRunTime: [DOMAIN, ...npm('jsonc-parser', 'lossless-json'), ...node('crypto')],
    typesOnly: [],
  },
  {
    from: '^workflows/',
    atRunTime: [
      DOMAIN,
      ...npm('@temporalio/workflow', '@temporalio/common'),
      // For workflows that are traced, in messages/tracing.ts and preloaded.ts.
      ...npm('@temporalio/interceptors-opentelemetry', '@opentelemetry/api'),
      ...npm('@opentelemetry/semantic-conventions'),
    ],
    typesOnly: ['^activities/'],
  },
  {
    from: '^activities/',
    atRunTime: [DOMAIN, ...npm('@temporalio/common')],
    typesOnly: [PORTS],
  },
  {
    from: '^api/(?!checkout/browser/)',
    atRunTime: [
      DOMAIN,
      SIGNING,
      ...npm('jose', 'koa', '@koa/router', 'lru-cache', 'raw-body', 'zod'),
      ...node('net', 'http', 'https', 'crypto', 'stream', 'timers/promises'),
    ],
    typesOnly: [PORTS],
  },
  // Runs in the payer's browser. src/dev/package/checkout-bundle.ts bundles its imports.
  { from: '^api/checkout/browser/', atRunTime: [DOMAIN, ...npm('jsqr', 'qrcode')], typesOnly: [] },
  {
    from: '^src/postgres/',
    atRunTime: [DOMAIN, ...npm('pg', 'node-pg-migrate', 'dataloader'), ...ANY_NODE],
    typesOnly: [PORTS, SIGNING],
  },
  {
    from: '^src/http/',
    atRunTime: [DOMAIN, SIGNING, ...ANY_NODE],
    typesOnly: [PORTS],
  },
  {
    from: '^src/providers/',
    atRunTime: [DOMAIN, SIGNING, ...npm('zod'), ...node('crypto')],
    typesOnly: [PORTS, '^src/http/outbound\\.ts$'],
  },
  {
    // Its demo partner uses our SDK.
    from: '^src/sandbox/',
    atRunTime: [DOMAIN, SIGNING, '^src/sdk/', ...ANY_NODE],
    typesOnly: [PORTS],
  },
  {
    from: '^src/temporal/',
    atRunTime: [
      DOMAIN,
      '^workflows/messages/messages\\.ts$',
      ...npm('@temporalio/client', '@temporalio/common', '@temporalio/proto', 'fastq'),
      ...node('async_hooks', 'crypto', 'timers/promises'),
    ],
    typesOnly: [PORTS],
  },
  {
    from: '^src/observe/',
    atRunTime: npm(
      ...['pino', 'prom-client'],
      ...['api', 'context-async-hooks', 'core', 'exporter-trace-otlp-http', 'resources'].map(
        (name) => `@opentelemetry/${name}`,
      ),
      '@opentelemetry/sdk-trace-base',
      '@temporalio/interceptors-opentelemetry',
    ),
    typesOnly: [
      PORTS,
      '^src/http/outbound\\.ts$',
      ...npm('@temporalio/client', '@temporalio/worker'),
      ...node('http'),
    ],
  },
  // The SDK is published alone, so it imports only these two of our directories.
  {
    from: '^src/sdk/(?!conformance/)',
    atRunTime: [DOMAIN, SIGNING, ...npm('jose')],
    typesOnly: [],
  },
  {
    // A program of the SDK package.
    from: '^src/sdk/conformance/(?!provider/)',
    atRunTime: [DOMAIN, SIGNING, '^src/sdk/', ...npm('jose'), ...node('fs', 'util')],
    typesOnly: [],
  },
  {
    // It calls a provider by the engine's adapter, and cuts connections.
    from: '^src/sdk/conformance/provider/',
    atRunTime: [
      ...[
        DOMAIN,
        '^src/sdk/',
        '^src/providers/(http/|exchange\\.ts$)',
        '^src/http/provider-outbound\\.ts$',
      ],
      ...[...npm('zod'), ...node('child_process', 'fs', 'timers/promises', 'util')],
    ],
    typesOnly: [PORTS, '^src/http/outbound\\.ts$'],
  },
  {
    from: '^src/ops/',
    atRunTime: [
      DOMAIN,
      SIGNING,
      '^src/postgres/',
      '^src/temporal/',
      // Registration checks the same addresses as outgoing calls.
      '^src/http/partner-addresses\\.ts$',
      // `token explain` fetches a key set as the API does.
      '^src/http/(key-set-fetcher|partner-outbound)\\.ts$',
      '^src/config/',
      '^workflows/messages/messages\\.ts$',
      ...npm('@temporalio/client', '@temporalio/common', '@temporalio/proto'),
      ...npm('commander', 'csv-parse', 'pngjs'),
      ...ANY_NODE,
    ],
    typesOnly: [],
  },
  {
    from: '^src/config/',
    atRunTime: [
      DOMAIN,
      ...npm('@temporalio/envconfig', 'zod'),
      ...node('child_process', 'fs', 'tls'),
    ],
    typesOnly: ['^src/temporal/connection\\.ts$'],
  },
  // Runs before packages are installed. Only its last step, a separate process, uses packages.
  { from: '^src/dev/setup(\\.mjs$|/(?!sdk-download))', atRunTime: SETUP, typesOnly: [] },
  {
    from: '^src/dev/setup/sdk-download\\.mjs$',
    atRunTime: [...SETUP, ...npm('@temporalio/testing')],
    typesOnly: [],
  },
  // Composition roots and the local stack may import everything except tests.
  { from: '^src/main/', atRunTime: ['^(?!test/|src/dev/)'], typesOnly: [] },
  { from: '^src/dev/(?!setup(\\.mjs$|/))', atRunTime: ['^(?!test/)'], typesOnly: [] },
  { from: '^test/', atRunTime: [''], typesOnly: [] },
];

const forbidden = ROWS.flatMap(({ from, atRunTime, typesOnly }) => {
  const name = from
    .replace(/^\^/, '')
    .replaceAll(/\\|\$|\(.*$/g, '')
    .replace(/\/$/, '');
  return [
    {
      name: `${name}-may-not-import`,
      comment: `${name} imports something its row in .dependency-cruiser.cjs does not list.`,
      severity: 'error',
      from: { path: from },
      to: { pathNot: [from, ...atRunTime, ...typesOnly] },
    },
    {
      name: `${name}-types-only`,
      comment: `${name} may import this for its types only: write "import type".`,
      severity: 'error',
      from: { path: from },
      to: { path: typesOnly, pathNot: [from, ...atRunTime], preCompilationOnly: false },
    },
  ].filter((rule) => !rule.name.endsWith('types-only') || typesOnly.length > 0);
});

module.exports = {
  forbidden: [
    ...forbidden,
    {
      name: 'every-directory-has-a-row',
      comment: 'The directory of this file has no row in the table: add one.',
      severity: 'error',
      from: { pathNot: [...ROWS.map((row) => row.from), '^[^/]+$', '^node_modules/'] },
      to: {},
    },
    {
      name: 'no-cycle',
      comment: 'Each file can be understood after the ones it imports.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'The imported file or package does not exist.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-development-package-in-the-product',
      comment: 'The production image does not contain devDependencies.',
      severity: 'error',
      from: {
        path: '^(src|workflows|activities|api)/',
        // Neither is in the image: src/dev is for local development, and the page is bundled.
        pathNot: '^(src/dev|api/checkout/browser)/',
      },
      to: { dependencyTypes: ['npm-dev'], preCompilationOnly: false },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // They import what a generator makes.
    exclude: { path: '^test/contract/generators/programs/' },
    tsConfig: { fileName: 'tsconfig.json' },
    // Distinguishes imports that compilation erases from imports at run time.
    tsPreCompilationDeps: 'specify',
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.d.ts', '.js', '.mjs', '.cjs', '.json'],
      mainFields: ['main', 'types', 'typings'],
    },
  },
};
