// `npm run build` writes to dist/ what production runs: the compiled files, the assets that they
// read, the checkout page, and the workflows in one bundle, so that no worker spends its first
// seconds bundling.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleWorkflows } from '../../main/worker/workflow-code';
import { ASSETS } from './assets';
import { bundleCheckout, writeCheckout } from './checkout-bundle';
import { reportFailure } from './manifest';
import { ROOT } from '../tools';

const DIST = join(ROOT, 'dist');

async function build(): Promise<void> {
  rmSync(DIST, { recursive: true, force: true });
  compile();
  copyAssets();
  writeCheckout(join(DIST, 'checkout'), await bundleCheckout());
  console.log('bundled the checkout into dist/checkout');
  writeFileSync(join(DIST, 'workflow-bundle.js'), await bundleWorkflows());
  console.log('bundled the workflows into dist/workflow-bundle.js');
}

function compile(): void {
  const tsc = require.resolve('typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('The compiler found mistakes: see above.');
  console.log('compiled to dist/');
}

function copyAssets(): void {
  for (const asset of ASSETS.filter((path) => existsSync(join(ROOT, path)))) {
    cpSync(join(ROOT, asset), join(DIST, asset), { recursive: true });
    console.log(`copied ${asset}`);
  }
}

build().catch(reportFailure);
