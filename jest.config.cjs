const { availableParallelism } = require('node:os');

// Five projects, so that only those which need Postgres and Temporal start them. Code and not a key of package.json
// because the five share everything else.
const UNIT = [
  'domain',
  'signing',
  'sdk',
  'sandbox',
  'http',
  'guards',
  'bench',
  'mutations',
  'chaos',
  'checkout',
  'main',
];
const NAMED = [...UNIT, 'journeys', 'browser', 'replay'];
// Jest cannot require() an ES module on this Node, so those that ship nothing else are compiled like our own files.
const ESM_ONLY = ['jose', 'node-pg-migrate'];

const shared = {
  rootDir: __dirname,
  testEnvironment: 'node',
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
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

const tests = (...folders) => folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`);

module.exports = {
  // Tests wait for servers and timers for a third of their time.
  maxWorkers: Math.max(4, availableParallelism()),
  testTimeout: 30_000,
  workerIdleMemoryLimit: '1GB',
  reporters: ['default', '<rootDir>/test/support/summary-reporter.cjs'],
  projects: [
    { ...shared, displayName: 'unit', testMatch: tests(...UNIT) },
    { ...shared, displayName: 'replay', testMatch: tests('replay') },
    {
      // Every other folder, so that no test can be in none of the projects.
      ...shared,
      ...servers,
      displayName: 'integration',
      testMatch: tests(`!(${NAMED.join('|')})`),
    },
    { ...shared, ...servers, displayName: 'journeys', testMatch: tests('journeys') },
    { ...shared, ...servers, displayName: 'browser', testMatch: tests('browser') },
  ],
};
