// knip with our settings still reports unused files, exports and dependencies.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFixtureProject, ROOT, runScript } from '../support/programs/fixture-project';

interface Report {
  readonly issues: readonly {
    readonly file: string;
    readonly files?: readonly unknown[];
    readonly exports?: readonly { readonly name: string }[];
    readonly dependencies?: readonly { readonly name: string }[];
  }[];
}

const { knip } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly knip: object;
};

describe('knip', () => {
  let report: Report;

  beforeAll(() => {
    const project = createFixtureProject({
      'package.json': JSON.stringify({
        name: 'fixture',
        dependencies: { unneeded: '1.0.0' },
        knip,
      }),
      'tsconfig.json': '{}',
      'src/main/api.ts': "import { used } from '../domain/money';\nconsole.info(used);\n",
      'src/domain/money.ts': 'export const used = 1;\nexport const forgotten = 2;\n',
      'src/domain/orphan.ts': 'export const orphan = 3;\n',
    });
    const run = runScript(
      join(ROOT, 'node_modules/knip/bin/knip.js'),
      ['--reporter', 'json', '--no-progress'],
      { cwd: project.folder },
    );
    project.remove();
    report = JSON.parse(run.stdout) as Report;
  });

  const issuesOf = (file: string) => report.issues.find((issue) => issue.file === file);

  it('reports an export without import', () => {
    expect(issuesOf('src/domain/money.ts')?.exports?.map(({ name }) => name)).toEqual([
      'forgotten',
    ]);
  });

  it('reports a file without import', () => {
    expect(issuesOf('src/domain/orphan.ts')?.files).toHaveLength(1);
  });

  it('reports a dependency without import', () => {
    expect(issuesOf('package.json')?.dependencies?.map(({ name }) => name)).toEqual(['unneeded']);
  });
});
