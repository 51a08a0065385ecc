// `npm run build:sandbox [-- FOLDER]`: packs the sandbox as one file, by default in dist (decision
// 142).
import { join, relative, resolve } from 'node:path';
import { ROOT } from '../tools';
import { packSandbox } from './sandbox-package';

async function main(folder: string): Promise<void> {
  const file = await packSandbox(folder);
  const shown = relative(process.cwd(), file);
  const path = shown.startsWith('..') ? file : `./${shown}`;
  console.log(`packed the sandbox into ${path}; to start it here: npx ${path}`);
}

main(resolve(process.argv[2] ?? join(ROOT, 'dist'))).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
