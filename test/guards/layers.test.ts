// The import table still reports each forbidden import, shown on a small project with the same
// folders.
import { join } from 'node:path';
import {
  createFixtureProject,
  ROOT,
  runScript,
  TOOL_TIMEOUT_MS,
} from '../support/programs/fixture-project';

interface Violation {
  readonly rule: { readonly name: string };
  readonly from: string;
  readonly to: string;
}

const imported = (path: string) => `import * as it from '${path}';\nexport const used = it;\n`;
const importedType = (path: string) =>
  `import type { Thing } from '${path}';\nexport const used: Thing | undefined = undefined;\n`;
const thing = 'export interface Thing { readonly id: string }\nexport const thing = 1;\n';
const library = (name: string) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: '1.0.0' }),
  [`node_modules/${name}/index.js`]: 'exports.thing = 1;\n',
});

/** Importing file, imported file, and the rule that forbids it. */
const FORBIDDEN = [
  ['src/domain/hash.ts', 'node:crypto', 'src/domain-may-not-import'],
  ['src/domain/port.ts', '../ports/clock', 'src/domain-may-not-import'],
  ['src/ports/live.ts', '../domain/money', 'src/ports-types-only'],
  ['src/signing/stored.ts', '../postgres/store', 'src/signing-may-not-import'],
  ['workflows/stored.ts', 'pg', 'workflows-may-not-import'],
  ['workflows/hashed.ts', 'node:crypto', 'workflows-may-not-import'],
  ['workflows/live.ts', '../activities/funds', 'workflows-types-only'],
  ['activities/stored.ts', '../src/postgres/store', 'activities-may-not-import'],
  ['activities/live.ts', '../src/ports/clock', 'activities-types-only'],
  ['api/orchestrated.ts', '@temporalio/client', 'api-may-not-import'],
  ['api/stored.ts', 'pg', 'api-may-not-import'],
  ['api/files.ts', 'node:fs', 'api-may-not-import'],
  ['api/configured.ts', '../src/config', 'api-may-not-import'],
  ['api/logged.ts', '../src/logger', 'api-may-not-import'],
  ['src/postgres/served.ts', 'koa', 'src/postgres-may-not-import'],
  ['src/http/stored.ts', 'pg', 'src/http-may-not-import'],
  ['src/temporal/live.ts', '../../workflows/payment', 'src/temporal-may-not-import'],
  ['src/temporal/stored.ts', 'pg', 'src/temporal-may-not-import'],
  ['src/sdk/stored.ts', '../postgres/store', 'src/sdk-may-not-import'],
  ['src/ops/served.ts', '../../api/app', 'src/ops-may-not-import'],
  ['src/ops/measured.ts', '../metrics', 'src/ops-may-not-import'],
  ['src/ops/called.ts', '../http/outbound', 'src/ops-may-not-import'],
  ['src/dev/tested.ts', '../../test/support/database', 'src/dev-may-not-import'],
  ['src/dev/setup.mjs', 'koa', 'src/dev/setup-may-not-import'],
  ['src/main/tested.ts', '../../test/support/database', 'src/main-may-not-import'],
  ['src/main/simulated.ts', 'simulator', 'no-development-package-in-the-product'],
  ['src/helpers/lost.ts', '../domain/money', 'every-directory-has-a-row'],
  ['src/domain/circle-a.ts', './circle-b', 'no-cycle'],
  ['src/domain/nowhere.ts', './nothing-here', 'no-unresolvable'],
] as const;

const ALLOWED = [
  ['workflows/typed.ts', '../activities/funds'],
  ['activities/typed.ts', '../src/ports/clock'],
  ['src/ports/typed.ts', '../domain/money'],
] as const;

const files: Record<string, string> = {
  'package.json': JSON.stringify({
    name: 'fixture',
    dependencies: { pg: '1.0.0', koa: '1.0.0', '@temporalio/client': '1.0.0' },
    devDependencies: { simulator: '1.0.0' },
  }),
  'tsconfig.json': JSON.stringify({ compilerOptions: { module: 'node20', target: 'ES2022' } }),
  ...library('pg'),
  ...library('koa'),
  ...library('simulator'),
  ...library('@temporalio/client'),
  'src/domain/money.ts': thing,
  'src/domain/circle-b.ts': imported('./circle-a'),
  'src/ports/clock.ts': thing,
  'src/postgres/store.ts': imported('pg'),
  'src/http/outbound.ts': thing,
  'src/config/config.ts': thing,
  'src/observe/logger.ts': thing,
  'src/observe/api-metrics.ts': thing,
  'activities/funds.ts': thing,
  'workflows/payment.ts': thing,
  'workflows/messages/messages.ts': thing,
  'src/temporal/runner.ts': imported('../../workflows/messages/messages'),
  'api/app.ts': imported('koa'),
  'api/signed.ts': imported('node:crypto'),
  'test/support/database.ts': thing,
  ...Object.fromEntries(FORBIDDEN.map(([from, to]) => [from, imported(to)])),
  ...Object.fromEntries(ALLOWED.map(([from, to]) => [from, importedType(to)])),
};

function cruise(): readonly Violation[] {
  const project = createFixtureProject(files);
  try {
    const run = runScript(
      join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
      [
        ...['--config', join(ROOT, '.dependency-cruiser.cjs'), '--output-type', 'json'],
        ...['src', 'workflows', 'activities', 'api', 'test'],
      ],
      { cwd: project.folder },
    );
    const report = JSON.parse(run.stdout) as { summary: { violations: Violation[] } };
    return report.summary.violations;
  } finally {
    project.remove();
  }
}

describe('dependency-cruiser', () => {
  let violations: readonly Violation[];

  beforeAll(() => {
    violations = cruise();
  }, TOOL_TIMEOUT_MS);

  const rulesAgainst = (file: string) =>
    violations.filter(({ from }) => from === file).map(({ rule }) => rule.name);

  it.each(FORBIDDEN)('reports that %s imports %s (%s)', (from, _to, rule) => {
    expect(rulesAgainst(from)).toContain(rule);
  });

  it.each(ALLOWED)('allows %s to import the types of %s', (from) => {
    expect(rulesAgainst(from)).toEqual([]);
  });

  it('reports nothing else', () => {
    const expected = new Set<string>(FORBIDDEN.map(([from]) => from)).add('src/domain/circle-b.ts');
    expect(violations.filter(({ from }) => !expected.has(from))).toEqual([]);
  });
});
