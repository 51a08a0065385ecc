// What a recipe states: how one generator makes a client, how the client is compiled, and the
// program that makes a call with it.
import { join } from 'node:path';
import { ROOT } from '../../support/programs/fixture-project';
import type { Packages } from '../packages';

export const CONTRACT = join(ROOT, 'api', 'openapi.json');

export type Command = readonly string[];

/** The folder of each of the recipe's tools, or of `pip` the interpreter. */
export type Tools = Readonly<Record<string, string>>;

/** They run in a folder of their own, which holds the program and gets the client. */
interface Steps {
  readonly generate: Command;
  readonly compile: readonly Command[];
  readonly call: Command;
}

export interface Recipe {
  readonly generator: string;
  /** The language, and the library where there are several. */
  readonly client: string;
  readonly version: string;
  readonly tools: Readonly<Record<string, Packages>>;
  /** Files of `programs`, by their names beside the client. */
  readonly programs: Readonly<Record<string, string>>;
  /** The program of the guide that signs. */
  readonly signing: string;
  /** Further files, by their names. */
  readonly files: Readonly<Record<string, string>>;
  readonly steps: (tools: Tools) => Steps;
}
