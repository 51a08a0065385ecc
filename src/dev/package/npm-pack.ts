// Packs a folder as the file that npm installs.
import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const packedSchema = z.tuple([z.object({ filename: z.string() })]);

/** @returns the path of the file, in `folder` */
export async function packed(content: string, folder: string): Promise<string> {
  const args = ['pack', content, '--pack-destination', folder, '--json', '--loglevel=error'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder });
  const [{ filename }] = packedSchema.parse(JSON.parse(stdout));
  return join(folder, filename);
}

export function shownPath(path: string): string {
  const shown = relative(process.cwd(), path);
  return shown.startsWith('..') ? path : `./${shown}`;
}
