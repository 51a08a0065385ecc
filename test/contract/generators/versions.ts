// The table of the tested generators: for each the newest version of the registries, with the
// options that a partner types first.
import type { Recipe } from './recipe';
import { oapiCodegen } from './recipes/go';
import { openapiGenerator } from './recipes/java';
import { openapiPythonClient } from './recipes/python';
import { openapiTypescript } from './recipes/typescript';

export const RECIPES: readonly Recipe[] = [
  openapiTypescript('7.13.0'),
  oapiCodegen('2.8.2', '1.9.0'),
  openapiGenerator('7.25.0'),
  openapiPythonClient('0.29.1'),
];
