// openapi-generator: one program that makes clients in many languages, four of which are tested.
import { join } from 'node:path';
import { CONTRACT, type Command, type Recipe } from '../recipe';
import { BUILD_GO, CALL_GO, inGo } from './go';
import { checkPython, inPython, MYPY } from './python';
import { CALL_TYPESCRIPT, COMPILE_TYPESCRIPT, inTypeScript } from './typescript';

export function generatorForFetch(version: string): Recipe {
  return {
    generator: 'openapi-generator',
    version,
    client: 'TypeScript (fetch)',
    tools: jarOf(version),
    ...inTypeScript('typescript-fetch.mts'),
    steps: (tools) => ({
      generate: generate(tools, 'typescript-fetch', 'client'),
      compile: COMPILE_TYPESCRIPT,
      call: CALL_TYPESCRIPT,
    }),
  };
}

export function generatorForGo(version: string): Recipe {
  return {
    generator: 'openapi-generator',
    version,
    client: 'Go',
    tools: jarOf(version),
    ...inGo('openapi-generator.go'),
    steps: (tools) => ({
      generate: [
        ...generate(tools, 'go', 'client'),
        ...['--package-name', 'client', '--additional-properties', 'withGoMod=false'],
      ],
      compile: [BUILD_GO],
      call: CALL_GO,
    }),
  };
}

/** @param libraries the artifacts that its client imports */
export function generatorForJava(version: string, libraries: readonly string[]): Recipe {
  return {
    generator: 'openapi-generator',
    version,
    client: 'Java (native)',
    tools: { ...jarOf(version), java: { kind: 'maven', packages: libraries } },
    programs: { 'Call.java': 'Call.java' },
    signing: 'CreateIntent.java',
    files: {},
    steps: (tools) => {
      const classes = `classes:${tools['java'] ?? ''}/*`;
      const compile = `javac -nowarn -d classes -cp '${classes}' $(find client/src/main -name '*.java') *.java`;
      return {
        generate: [
          ...generate(tools, 'java', 'client'),
          ...['--library', 'native', '--additional-properties', 'openApiNullable=false'],
        ],
        compile: [['bash', '-c', compile]],
        call: ['java', '-cp', classes, 'Call'],
      };
    },
  };
}

/** @param libraries the packages that its client imports */
export function generatorForPython(version: string, libraries: readonly string[]): Recipe {
  return {
    generator: 'openapi-generator',
    version,
    client: 'Python (urllib3)',
    tools: { ...jarOf(version), pip: { kind: 'pip', packages: [...libraries, MYPY] } },
    ...inPython('openapi-generator.py'),
    files: {},
    steps: (tools) => ({
      generate: [...generate(tools, 'python', '.'), '--package-name', 'client'],
      compile: checkPython(tools['pip'] ?? ''),
      call: [tools['pip'] ?? '', 'call.py'],
    }),
  };
}

function jarOf(version: string): Recipe['tools'] {
  return {
    jar: { kind: 'maven', packages: [`org.openapitools:openapi-generator-cli:${version}`] },
  };
}

function generate(tools: Readonly<Record<string, string>>, name: string, folder: string): Command {
  const classes = join(tools['jar'] ?? '', '*');
  const program = ['java', '-cp', classes, 'org.openapitools.codegen.OpenAPIGenerator'];
  return [...program, 'generate', '-i', CONTRACT, '-g', name, '-o', folder];
}
