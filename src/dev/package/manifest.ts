// What the builds of packages share: the manifest of this repository, and how a build ends.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../tools';

const manifestSchema = z.object({
  version: z.string(),
  license: z.string(),
  engines: z.record(z.string(), z.string()).optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

export function readManifest(folder = ROOT) {
  return manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
}

export function writeManifest(folder: string, manifest: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The version of a dependency of this repository. */
export function versionOf(name: string): string {
  const { dependencies, devDependencies } = readManifest();
  const pinned = dependencies[name] ?? devDependencies[name];
  if (pinned === undefined) throw new Error(`package.json does not name ${name}`);
  return pinned;
}

/** A path for people: relative if it is below the current folder. */
export function shownPath(path: string): string {
  const shown = relative(process.cwd(), path);
  return shown.startsWith('..') ? path : `./${shown}`;
}

export function reportFailure(error: unknown): void {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
