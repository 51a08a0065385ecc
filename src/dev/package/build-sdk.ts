// `npm run build:sdk [-- FOLDER]`: builds the partner SDK as a package, by default in dist/sdk
// (decision 117).
import { join, relative, resolve } from 'node:path';
import { buildSdkPackage } from './sdk-package';
import { ROOT } from '../tools';

const folder = resolve(process.argv[2] ?? join(ROOT, 'dist', 'sdk'));

buildSdkPackage(folder).then(
  () => {
    const shown = relative(process.cwd(), folder);
    const path = shown.startsWith('..') ? folder : `./${shown}`;
    console.log(`built the SDK into ${path}; to hand it over: npm pack ${path}`);
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  },
);
