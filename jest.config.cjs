const { availableParallelism } = require('node:os');

// Five projects, so that only those that need Postgres and Temporal start them. This is code and
// not a key of package.json, because the projects share all other settings.
const UNIT = [
  'domain',
  'signing',
  'sdk',
  'sandbox',
  'http',
  'providers',
  'guards',
  'bench',
  'mutations',
  'chaos',
  'checkout',
  'main',
  'tracing',
];
const NAMED = [...UNIT, 'journeys', 'browser', 'replay'];
// Jest cannot require() ES modules on this Node, so packages without CommonJS are compiled like our
// own files.
const ESM_ONLY = ['jose', 'node-pg-migrate'];

const shared = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/support/jest/one-realm.cjs',
  runtime: '<rootDir>/test/support/jest/shared-packages.cjs',
  transform: {
    '\\.[cm]?[jt]s$': [
      '@swc/jest',
      {
        jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_ONLY.join('|')})/)`],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/'],
  watchPathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/'],
};

const servers = {
  globalSetup: '<rootDir>/test/support/jest/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest/global-teardown.ts',
};

const tests = (...folders) => folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`);

module.exports = {
  // Tests wait for servers and timers a third of their time.
  maxWorkers: availableParallelism() + 1,
  // Ends a test that hangs: on a busy machine the longest need minutes.
  testTimeout: 300_000,
  workerIdleMemoryLimit: '1GB',
  reporters: ['default', '<rootDir>/test/support/jest/summary-reporter.cjs'],
  projects: [
    { ...shared, displayName: 'unit', testMatch: tests(...UNIT) },
    { ...shared, displayName: 'replay', testMatch: tests('replay') },
    {
      // All other folders, so that every test belongs to a project.
      ...shared,
      ...servers,
      displayName: 'integration',
      testMatch: tests(`!(${NAMED.join('|')})`),
    },
    { ...shared, ...servers, displayName: 'journeys', testMatch: tests('journeys') },
    { ...shared, ...servers, displayName: 'browser', testMatch: tests('browser') },
  ],
};
