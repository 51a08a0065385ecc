// Style as rules (CONTRIBUTING.md). What a kind of file needs that a rule forbids is said here; what one line needs, beside it, by
// `eslint-disable-next-line` with the reason.
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

// Node's own modules as names, not as a pattern: Node has a builtin called `domain`, and a pattern on it would flag
// our own src/domain.
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
  message: 'Only src/config.ts reads the environment; take the setting as an argument.',
};
const NO_CLOCK_CALL = {
  object: 'Date',
  property: 'now',
  message: 'Take the time from the Clock port; only src/main knows what time it is.',
};
const NO_EXIT = {
  object: 'process',
  property: 'exit',
  message: 'Only src/main and src/ops end the process: throw instead.',
};

const NO_ENVIRONMENT_IMPORT = ['process', 'node:process'].map((name) => ({
  name,
  message: 'Use the global `process`; its `env` is for src/config.ts alone.',
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
      // A number in a message is what a reader wants to see; everything else is converted on purpose.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `() => list.push(x)` as a listener is shorter than the braces that would hide its value.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // A string is spread to count its code points, which is what the specification's limits speak of.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // Enums are never ours (`erasableSyntaxOnly`); those of libraries are met as the numbers they stand for.
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
      // Three is the rule; the limit is four, since an object built for one call can read worse than a parameter.
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
    // Inside the isolate `Date` is the run's own clock, the same in every replay.
    name: 'the time of a workflow',
    files: ['workflows/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT],
      'no-restricted-properties': ['error', NO_ENVIRONMENT, NO_EXIT],
    },
  },
  {
    name: 'the reader of the environment',
    files: ['src/config.ts'],
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
    // The page runs on the payer's device, whose clock only explains: it decides nothing (decision 116).
    name: 'where the checkout page takes the time from',
    files: ['api/checkout/browser/main.ts'],
    rules: { 'no-restricted-properties': ['error', NO_ENVIRONMENT] },
  },
  {
    // The SDK runs in a partner's process, payctl on a desk: each has its clock in one place.
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
      // What tests take apart are closures that createX() returned, and those have no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT, ...NO_SLEEP, NO_MOCKED_MODULES],
      'no-restricted-properties': ['error', NO_ENVIRONMENT],
    },
  },
  {
    // A describe callback holds every test of its subject, so it is a chapter and not a function.
    name: 'test files',
    files: ['test/**/*.test.ts'],
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    name: 'what tests stand on starts servers and waits for them, and so do the recorder, the benchmarks and the harness of faults',
    files: [
      'test/support/**/*.ts',
      'test/replay/record.ts',
      'test/bench/**/*.ts',
      'test/chaos/**/*.ts',
    ],
    rules: {
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', NO_DEFAULT_EXPORT, NO_MOCKED_MODULES],
    },
  },
  {
    // Jest asks for a default export there.
    name: 'what Jest loads by path',
    files: ['test/support/global-*.ts'],
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
    // Their tools ask for a default export, and a configuration is as long as what it says.
    name: 'configuration files',
    files: ['*.mjs', '*.cjs'],
    rules: { 'no-restricted-syntax': 'off', 'max-lines': 'off' },
  },
  prettier,
);
