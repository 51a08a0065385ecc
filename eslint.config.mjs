// The style of CONTRIBUTING.md as rules. Exceptions for a kind of file are listed here; an
// exception for one line is an `eslint-disable-next-line` with its reason.
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

// Names and not a pattern: Node has a builtin module `domain`, and a pattern would match our
// src/domain.
import { builtinModules } from 'node:module';

const TYPESCRIPT = ['**/*.ts'];
const PLAIN_NODE = ['**/*.{mjs,cjs}'];

const NO_DEFAULT_EXPORT = {
  selector:
    'ExportDefaultDeclaration, TSExportAssignment, ExportSpecifier[exported.name="default"]',
  message: 'Named exports only: a thing has one name everywhere.',
};
const NO_CLOCK = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'Take the time from the Clock port; only src/main knows what time it is.',
  },
  {
    selector: 'CallExpression[callee.name="Date"]',
    message: 'Take the time from the Clock port; only src/main knows what time it is.',
  },
];
const NO_SLEEP = [
  {
    selector:
      'CallExpression[callee.name="setTimeout"], CallExpression[callee.property.name="setTimeout"]',
    message: 'A test does not sleep: await what it waits for, or turn the clock.',
  },
  {
    selector: 'ImportDeclaration[source.value=/^(node:)?timers(\\u002Fpromises)?$/]',
    message: 'A test does not sleep: await what it waits for, or turn the clock.',
  },
];
const NO_MOCKED_MODULES = {
  selector:
    'CallExpression[callee.object.name="jest"][callee.property.name=/^(mock|doMock|unstable_mockModule|setMock)$/]',
  message: 'Our own modules are not mocked: use the simulator that is held to the port’s contract.',
};

const NO_ENVIRONMENT = {
  object: 'process',
  property: 'env',
  message: 'Only src/config/config.ts reads the environment; take the setting as an argument.',
};
const NO_CLOCK_CALL = {
  object: 'Date',
  property: 'now',
  message: 'Take the time from the Clock port; only src/main knows what time it is.',
};
const NO_REPLAY = {
  object: 'Worker',
  property: 'runReplayHistory',
  message: 'It leaves hooks in the process: use replayHistory of support/programs/workflow-bundle.',
};
const NO_EXIT = {
  object: 'process',
  property: 'exit',
  message: 'Only src/main and src/ops end the process: throw instead.',
};

const NO_ENVIRONMENT_IMPORT = ['process', 'node:process'].map((name) => ({
  name,
  message: 'Use the global `process`; its `env` is for src/config/config.ts alone.',
}));

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '.local/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,

  {
    name: 'typescript',
    files: TYPESCRIPT,
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/promise-function-async': 'off',
      // Numbers print as expected; any other type must be converted explicitly.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Allows short listeners such as `() => list.push(x)`.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Spreading a string counts its code points, which the limits of the protocol refer to.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // We have no enums (`erasableSyntaxOnly`). Enums of libraries appear as numbers.
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },

  {
    name: 'size and shape',
    rules: {
      complexity: ['error', 8],
      'max-lines': ['error', 250],
      'max-lines-per-function': ['error', 50],
      // Prefer three. Four are allowed where an object for a single call would read worse.
      'max-params': ['error', 4],
      eqeqeq: 'error',
      'no-else-return': 'error',
      'no-param-reassign': 'error',
      'object-shorthand': 'error',
      'prefer-template': 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT, ...NO_CLOCK],
      'no-restricted-properties': ['error', NO_ENVIRONMENT, NO_CLOCK_CALL, NO_EXIT],
      'no-restricted-imports': ['error', { paths: NO_ENVIRONMENT_IMPORT }],
    },
  },

  {
    name: 'workflows and the domain they carry into the isolate',
    files: ['workflows/**/*.ts', 'src/domain/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            ...builtinModules.flatMap((name) => [name, `node:${name}`]),
            'node:test',
            'node:sqlite',
          ].map((name) => ({
            name,
            message: 'A workflow is deterministic: hashes, ids and time arrive as arguments.',
          })),
        },
      ],
    },
  },

  {
    // Inside the isolate `Date` is the workflow's own clock, the same in every replay.
    name: 'the time of a workflow',
    files: ['workflows/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT],
      'no-restricted-properties': ['error', NO_ENVIRONMENT, NO_EXIT],
    },
  },
  {
    name: 'the reader of the environment',
    files: ['src/config/config.ts'],
    rules: { 'no-restricted-properties': ['error', NO_CLOCK_CALL, NO_EXIT] },
  },
  {
    name: 'composition roots know the time and may end the process',
    files: ['src/main/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT],
      'no-restricted-properties': ['error', NO_ENVIRONMENT],
    },
  },
  {
    name: 'operations print to people and may end the process',
    files: ['src/ops/**/*.ts'],
    rules: {
      'no-console': 'off',
      'no-restricted-properties': ['error', NO_ENVIRONMENT, NO_CLOCK_CALL],
    },
  },
  {
    // The page uses the clock of the payer's device only for texts, never for decisions (decision
    // 116).
    name: 'where the checkout page takes the time from',
    files: ['api/checkout/browser/main.ts'],
    rules: { 'no-restricted-properties': ['error', NO_ENVIRONMENT] },
  },
  {
    // The SDK and payctl run in their own processes, and each reads the clock in one file.
    name: 'where the time comes from outside src/main',
    files: ['src/sdk/clock.ts', 'src/ops/system-time.ts'],
    rules: {
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT],
      'no-restricted-properties': ['error', NO_ENVIRONMENT],
    },
  },
  {
    name: 'the local stack',
    files: ['src/dev/**/*.{ts,mjs}'],
    rules: {
      'no-console': 'off',
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT],
      'no-restricted-properties': 'off',
      'no-restricted-imports': 'off',
    },
  },

  {
    name: 'tests',
    files: ['test/**/*.ts'],
    extends: [jest.configs['flat/recommended'], jest.configs['flat/style']],
    rules: {
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'jest/expect-expect': [
        'error',
        { assertFunctionNames: ['expect', 'expect*', 'fc.assert', '**.expect', '**.expect*'] },
      ],
      'jest/no-focused-tests': 'error',
      'jest/no-disabled-tests': 'error',
      'jest/no-commented-out-tests': 'error',
      'jest/no-conditional-expect': 'error',
      'jest/no-duplicate-hooks': 'error',
      'jest/no-test-return-statement': 'error',
      'jest/require-to-throw-message': 'error',
      'jest/prefer-to-be': 'error',
      // Tests destructure the results of createX(), which are closures without `this`.
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT, ...NO_SLEEP, NO_MOCKED_MODULES],
      'no-restricted-properties': ['error', NO_ENVIRONMENT, NO_REPLAY],
    },
  },
  {
    // A describe callback contains all tests of its subject, so no length limit applies.
    name: 'test files',
    files: ['test/**/*.test.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    name: 'test support, recorder, benchmarks and chaos start servers and wait for them',
    files: [
      'test/support/**/*.ts',
      'test/replay/record.ts',
      'test/bench/**/*.ts',
      'test/chaos/**/*.ts',
      'test/deploy/**/*.ts',
    ],
    rules: {
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT, NO_MOCKED_MODULES],
    },
  },
  {
    // Jest requires a default export.
    name: 'files that Jest loads by path',
    files: ['test/support/jest/global-*.ts'],
    rules: { 'no-restricted-syntax': ['error', NO_MOCKED_MODULES] },
  },

  {
    name: 'plain Node files',
    files: PLAIN_NODE,
    languageOptions: {
      globals: {
        AbortController: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        setImmediate: 'readonly',
        setInterval: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
  {
    name: 'the script of the page that shows the contract',
    files: ['src/sandbox/reference/*.js'],
    languageOptions: { sourceType: 'script', globals: { SwaggerUIBundle: 'readonly' } },
  },
  {
    name: 'CommonJS files',
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { __dirname: 'readonly', module: 'writable', require: 'readonly' },
    },
  },
  {
    // Their tools require a default export, and a configuration may be long.
    name: 'configuration files',
    files: ['*.mjs', '*.cjs'],
    rules: { 'no-restricted-syntax': 'off', 'max-lines': 'off' },
  },
  prettier,
);
