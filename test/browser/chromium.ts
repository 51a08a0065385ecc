// A real Chromium without a window, with a camera that shows what a test wants.
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { processEnvironment } from '../../src/config';
import { chromiumOf, readTools } from '../../src/dev/tools';

const FONTCONFIG_FILE = join(__dirname, 'fonts.conf');

export interface BrowserWish {
  /** A file of moving pictures that the camera shows, again and again; without it there is a camera that shows a test card. */
  readonly cameraFile?: string;
  /** `refused`: the payer says no. `missing`: there is none. */
  readonly camera?: 'allowed' | 'refused' | 'missing';
}

/** Plain flags: with those that the package recommends Chromium takes half a minute to close. */
export function openBrowser({
  cameraFile,
  camera = 'allowed',
}: BrowserWish = {}): Promise<Browser> {
  const { path, libraries } = chromiumOf(readTools());
  const environment = processEnvironment();
  const searched = [environment['LD_LIBRARY_PATH'], libraries].filter((folder) => folder);
  return chromium.launch({
    executablePath: path,
    env: { ...environment, LD_LIBRARY_PATH: searched.join(':'), FONTCONFIG_FILE },
    args: [
      '--no-sandbox',
      ...(camera === 'missing' ? [] : ['--use-fake-device-for-media-stream']),
      `--use-fake-ui-for-media-stream${camera === 'refused' ? '=deny' : ''}`,
      ...(cameraFile === undefined ? [] : [`--use-file-for-fake-video-capture=${cameraFile}`]),
    ],
  });
}
