// Generators of clients in TypeScript: type-checked strictly, then run by tsx.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../../support/programs/fixture-project';
import { CONTRACT, type Command, type Recipe, type Tools } from '../recipe';

const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
const TSX = pathToFileURL(join(ROOT, 'node_modules', 'tsx', 'dist', 'esm', 'index.mjs')).href;

const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'] },
  ...{ module: 'esnext', moduleResolution: 'bundler', allowImportingTsExtensions: true },
  ...{ skipLibCheck: true, types: ['node'], typeRoots: [join(ROOT, 'node_modules', '@types')] },
};

/** What all clients in TypeScript have in common. */
export function inTypeScript(program: string) {
  return {
    programs: { [program]: 'call.mts', 'signed-fetch.mts': 'signed-fetch.mts' },
    signing: 'create-intent.mts',
    files: {
      'package.json': '{ "private": true, "type": "module" }\n',
      'tsconfig.json': JSON.stringify({
        compilerOptions: COMPILER_OPTIONS,
        files: ['call.mts'],
      }),
    },
  };
}

export const COMPILE_TYPESCRIPT: readonly Command[] = [['node', TSC, '-p', '.']];
export const CALL_TYPESCRIPT: Command = ['node', '--import', TSX, 'call.mts'];

export function openapiTypescript(version: string): Recipe {
  return {
    generator: 'openapi-typescript',
    client: 'TypeScript',
    version,
    tools: {
      npm: { kind: 'npm', packages: [`openapi-typescript@${version}`, 'openapi-fetch@0.17.0'] },
    },
    ...inTypeScript('openapi-typescript.mts'),
    steps: (tools) => ({
      generate: [npmProgram(tools, 'openapi-typescript'), CONTRACT, '--output', 'client.ts'],
      compile: COMPILE_TYPESCRIPT,
      call: CALL_TYPESCRIPT,
    }),
  };
}

export function heyApi(version: string): Recipe {
  return {
    generator: '@hey-api/openapi-ts',
    client: 'TypeScript',
    version,
    tools: {
      npm: { kind: 'npm', packages: [`@hey-api/openapi-ts@${version}`, 'typescript@5.9.3'] },
    },
    ...inTypeScript('hey-api.mts'),
    steps: (tools) => ({
      generate: [
        ...[npmProgram(tools, 'openapi-ts'), '-i', CONTRACT, '-o', 'client'],
        ...['-c', '@hey-api/client-fetch'],
      ],
      compile: COMPILE_TYPESCRIPT,
      call: CALL_TYPESCRIPT,
    }),
  };
}

function npmProgram(tools: Tools, name: string): string {
  return join(tools['npm'] ?? '', 'node_modules', '.bin', name);
}
