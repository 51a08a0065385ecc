// openapi-typescript, with openapi-fetch as its client: type-checked strictly, then run by tsx.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../../support/programs/fixture-project';
import { CONTRACT, type Recipe } from '../recipe';

const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const TSX = pathToFileURL(require.resolve('tsx/esm')).href;

const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'] },
  ...{ module: 'esnext', moduleResolution: 'bundler', allowImportingTsExtensions: true },
  ...{ skipLibCheck: true, types: ['node'], typeRoots: [join(ROOT, 'node_modules', '@types')] },
};

export function openapiTypescript(version: string): Recipe {
  return {
    generator: 'openapi-typescript',
    client: 'TypeScript',
    version,
    tools: {
      npm: { kind: 'npm', packages: [`openapi-typescript@${version}`, 'openapi-fetch@0.17.0'] },
    },
    programs: { 'openapi-typescript.mts': 'call.mts', 'signed-fetch.mts': 'signed-fetch.mts' },
    signing: 'create-intent.mts',
    files: {
      'package.json': '{ "private": true, "type": "module" }\n',
      'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['call.mts'] }),
    },
    steps: (tools) => ({
      generate: [
        join(tools['npm'] ?? '', 'node_modules', '.bin', 'openapi-typescript'),
        ...[CONTRACT, '--output', 'client.ts'],
      ],
      compile: [['node', TSC, '-p', '.']],
      call: ['node', '--import', TSX, 'call.mts'],
    }),
  };
}
