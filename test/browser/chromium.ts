// A real headless Chromium with a fake camera.
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { processEnvironment } from '../../src/config';
import { chromiumOf, readTools } from '../../src/dev/tools';

const FONTCONFIG_FILE = join(__dirname, 'fonts.conf');

export interface BrowserOptions {
  /** A film that the camera shows in a loop; without it the camera shows a test picture. */
  readonly cameraFile?: string;
  /** `denied`: the payer denies the permission. `missing`: there is no camera. */
  readonly camera?: 'allowed' | 'denied' | 'missing';
}

/** Few flags: with the flags that the package recommends Chromium takes half a minute to close. */
export function openBrowser({
  cameraFile,
  camera = 'allowed',
}: BrowserOptions = {}): Promise<Browser> {
  const { path, libraries } = chromiumOf(readTools());
  const environment = processEnvironment();
  const searched = [environment['LD_LIBRARY_PATH'], libraries].filter((folder) => folder);
  return chromium.launch({
    executablePath: path,
    env: { ...environment, LD_LIBRARY_PATH: searched.join(':'), FONTCONFIG_FILE },
    args: [
      '--no-sandbox',
      ...(camera === 'missing' ? [] : ['--use-fake-device-for-media-stream']),
      `--use-fake-ui-for-media-stream${camera === 'denied' ? '=deny' : ''}`,
      ...(cameraFile === undefined ? [] : [`--use-file-for-fake-video-capture=${cameraFile}`]),
    ],
  });
}
