// A real headless Chromium with a fake camera.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { processEnvironment } from '../../src/config/config';
import { chromiumOf, readTools } from '../../src/dev/tools';

const FONTCONFIG_FILE = join(__dirname, 'fonts.conf');

export interface BrowserOptions {
  /** A film that the camera shows in a loop; without it the camera shows a test picture. */
  readonly cameraFile?: string;
  /** `denied`: the payer denies the permission. `missing`: there is no camera. */
  readonly camera?: 'allowed' | 'denied' | 'missing';
  /** Whether another program may attach, by {@link debuggingPortOf}. */
  readonly isOpenToPrograms?: boolean;
}

/** Few flags: with the flags that the package recommends Chromium takes half a minute to close. */
export function openBrowser({
  cameraFile,
  camera = 'allowed',
  isOpenToPrograms = false,
}: BrowserOptions = {}): Promise<Browser> {
  const { path, libraries } = chromiumOf(readTools());
  const environment = processEnvironment();
  const searched = [environment['LD_LIBRARY_PATH'], libraries].filter((folder) => folder);
  const launch = () =>
    chromium.launch({
      executablePath: path,
      env: { ...environment, LD_LIBRARY_PATH: searched.join(':'), FONTCONFIG_FILE },
      args: [
        '--no-sandbox',
        ...(isOpenToPrograms ? ['--remote-debugging-port=0'] : []),
        ...(camera === 'missing' ? [] : ['--use-fake-device-for-media-stream']),
        `--use-fake-ui-for-media-stream${camera === 'denied' ? '=deny' : ''}`,
        ...(cameraFile === undefined ? [] : [`--use-file-for-fake-video-capture=${cameraFile}`]),
      ],
    });
  // It crashes at its start now and then, on a busy machine.
  return launch().catch(launch);
}

/** Chromium writes the port that it chose to a file in the folder of its profile. */
export async function debuggingPortOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { commandLine } = await session.send('SystemInfo.getInfo');
  await session.detach();
  const [, profile = ''] = /--user-data-dir=(\S+)/.exec(commandLine) ?? [];
  const [port] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n');
  return Number(port);
}
