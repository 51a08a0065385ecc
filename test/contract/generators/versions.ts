// The table of the tested generators: the oldest version whose client works, and the newest of the
// registries.
import type { Recipe } from './recipe';
import { oapiCodegen } from './recipes/go';
import {
  generatorForFetch,
  generatorForGo,
  generatorForJava,
  generatorForPython,
} from './recipes/openapi-generator';
import { openapiPythonClient } from './recipes/python';
import { heyApi, openapiTypescript } from './recipes/typescript';

const JACKSON = ['core:jackson-core', 'core:jackson-databind', 'datatype:jackson-datatype-jsr310'];

function jackson(version: string, annotations = version): readonly string[] {
  return [
    ...JACKSON.map((name) => `com.fasterxml.jackson.${name}:${version}`),
    `com.fasterxml.jackson.core:jackson-annotations:${annotations}`,
    'com.google.code.findbugs:jsr305:3.0.2',
    'jakarta.annotation:jakarta.annotation-api:1.3.5',
  ];
}

const PYDANTIC = ['pydantic==2.14.4', 'urllib3==2.8.0', 'python-dateutil==2.9.0.post0'];

/** For each client the oldest version that works, with the reason for it, and the newest. */
export const RECIPES: readonly Recipe[] = [
  // 6.2.0 loses the header parameters.
  openapiTypescript('6.2.1'),
  openapiTypescript('7.13.0'),
  // Older versions generate no transport of their own.
  heyApi('0.73.0'),
  // It asks for Node 22, and works on 20.
  heyApi('0.99.0'),
  // The first under its present name.
  oapiCodegen('2.3.0', '1.1.1'),
  oapiCodegen('2.8.2', '1.9.0'),
  // The first that reads OpenAPI 3.1.
  generatorForFetch('7.0.0'),
  generatorForFetch('7.25.0'),
  // In 7.2.0 a parsed webhook has no intent.
  generatorForJava('7.3.0', jackson('2.14.1')),
  generatorForJava('7.25.0', jackson('2.21.5', '2.21')),
  // 7.0 always makes a module of its own.
  generatorForGo('7.1.0'),
  generatorForGo('7.25.0'),
  // 7.5.0 rejects patterns.
  generatorForPython('7.6.0', PYDANTIC),
  generatorForPython('7.25.0', PYDANTIC),
  // Older ones do not run with the pydantic that pip installs.
  openapiPythonClient('0.23.1'),
  openapiPythonClient('0.29.1'),
];
