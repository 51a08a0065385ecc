// The camera on the scan screen: allowed, denied, missing, switched off; and the two ways to read
// codes in its picture.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { bracket, withFolder } from '../support/brackets';
import { anIntent } from '../support/builders';
import { aVietnameseCode } from '../support/payments/qr-codes';
import { openBrowser, type BrowserOptions } from './chromium';
import { openCheckoutWorld } from './checkout-world';
import { writeQrFilm } from './qr-pictures';
import { FULL_CODE } from './scanned-codes';
import { openVisit, type Visit } from './visit';

const films = withFolder();
const world = bracket(openCheckoutWorld, (opened) => opened.close());
let browser: Browser | undefined;
beforeEach(() => {
  world.reset();
});
afterEach(() => browser?.close());

async function openScan(options: BrowserOptions, inPage = ''): Promise<Visit> {
  browser = await openBrowser(options);
  const intent = await anIntent(world.bed, world.partner);
  const visit = await openVisit(browser, world.link(intent), {}, inPage);
  await visit.page.getByRole('heading', { name: 'Scan the QR code' }).waitFor();
  return visit;
}

function filmOf(code: string): string {
  const film = join(films, 'code.y4m');
  writeQrFilm(film, code);
  return film;
}

const start = ({ page }: Visit) =>
  page.getByRole('button', { name: 'Scan with the camera' }).click();
const scannerFiles = () =>
  world.network.arrivals.filter(({ url }) => /scanner|decoder/.test(url)).length;

it.each([
  ['denied', 'The camera is not allowed'],
  ['missing', 'No camera was found'],
] as const)(
  'a camera that is %s is explained, and the other ways stay',
  async (camera, message) => {
    const visit = await openScan({ camera });
    await start(visit);
    await visit.page.getByRole('alert').getByText(message).waitFor();
    expect(await visit.page.getByText('Choose a photo of the code').isVisible()).toBe(true);
    expect(await visit.page.getByRole('button', { name: 'Scan with the camera' }).isVisible()).toBe(
      true,
    );
    expect(visit.violations).toEqual([]);
  },
);

it('the scanner is loaded when the camera is started, and not before', async () => {
  const visit = await openScan({});
  expect(scannerFiles()).toBe(0);
  await start(visit);
  await visit.page.getByText('The camera is on').waitFor();
  expect(scannerFiles()).toBeGreaterThan(0);
});

it('a light is offered where the camera has one, and follows its button', async () => {
  const visit = await openScan({}, A_TORCH);
  await start(visit);
  const light = visit.page.getByRole('button', { name: 'Light' });
  await light.click();
  await visit.page.getByRole('button', { name: 'Light', pressed: true }).waitFor();
  await light.click();
  await visit.page.getByRole('button', { name: 'Light', pressed: false }).waitFor();
  expect(await visit.page.evaluate('window.lights')).toEqual([true, false]);
});

it('no light is offered where the camera has none', async () => {
  const visit = await openScan({});
  await start(visit);
  await visit.page.getByText('The camera is on').waitFor();
  expect(await visit.page.getByRole('button', { name: 'Light' }).count()).toBe(0);
});

it('the camera fills the window, and its buttons are in view', async () => {
  const visit = await openScan({});
  await visit.page.setViewportSize({ width: 320, height: 568 });
  await start(visit);
  await visit.page.getByText('The camera is on').waitFor();
  expect(await visit.page.locator('video').boundingBox()).toEqual({
    ...{ x: 0, y: 0 },
    ...{ width: 320, height: 568 },
  });
  const close = visit.page.getByRole('button', { name: 'Close the camera' });
  const { y, height } = (await close.boundingBox()) ?? { y: 0, height: Infinity };
  expect(y + height).toBeLessThanOrEqual(568);
});

it.each([
  ['no-preference', ['flash']],
  ['reduce', []],
] as const)(
  'with the motion setting "%s" a found code vibrates once and is shown by %j',
  async (reducedMotion, shown) => {
    const visit = await openScan({ cameraFile: filmOf(FULL_CODE) }, RECORD_FOUND);
    await visit.page.emulateMedia({ reducedMotion });
    await start(visit);
    await visit.page.getByRole('heading', { name: 'Check the payment' }).waitFor();
    expect(await visit.page.evaluate('window.vibrations')).toEqual([60]);
    expect(await visit.page.evaluate('window.found')).toEqual(shown);
  },
);

it('a code of the wrong country is explained while the camera goes on', async () => {
  const visit = await openScan({ cameraFile: filmOf(aVietnameseCode()) });
  await start(visit);
  await visit.page
    .getByRole('alert')
    .getByText('This code is of another country. Use a Thai')
    .waitFor();
  expect(await visit.page.getByText('The camera is on').isVisible()).toBe(true);
});

it('the camera is off once it is stopped, and once the code is read', async () => {
  const visit = await openScan({});
  await visit.page.evaluate(RECORD_TRACKS);
  await start(visit);
  await visit.page.getByText('The camera is on').waitFor();
  await visit.page.getByRole('button', { name: 'Close the camera' }).click();
  await visit.page.evaluate(UNTIL_OFF);
  expect(await visit.page.evaluate('window.tracks.length')).toBe(1);
});

it('the browser’s own detector is used if it supports QR codes, and jsQR is not loaded', async () => {
  const visit = await openScan({}, aDetector(['qr_code'], 'Promise.resolve([{ rawValue: CODE }])'));
  await start(visit);
  await visit.page.getByRole('heading', { name: 'Check the payment' }).waitFor();
  expect(world.network.arrivals.filter(({ url }) => url.includes('decoder'))).toEqual([]);
});

it.each([
  ['does not support QR codes', aDetector(['ean_13'], 'Promise.resolve([])')],
  ['fails', aDetector(['qr_code'], 'Promise.reject(new Error("no service"))')],
])('jsQR is used if the browser’s own detector %s', async (_name, inPage) => {
  const visit = await openScan({ cameraFile: filmOf(FULL_CODE) }, inPage);
  await start(visit);
  await visit.page.getByRole('heading', { name: 'Check the payment' }).waitFor();
  expect(world.network.arrivals.some(({ url }) => url.includes('decoder'))).toBe(true);
});

/**
 * This Chromium has no detector: the script adds one like those of phones before the page starts.
 */
function aDetector(formats: readonly string[], answer: string): string {
  return `
    const CODE = ${JSON.stringify(FULL_CODE)};
    window.BarcodeDetector = class {
      static getSupportedFormats() { return Promise.resolve(${JSON.stringify(formats)}); }
      detect() { return ${answer}; }
    };`;
}

/**
 * Chromium's fake camera has no light, and no browser shows whether it is on: the script adds one
 * like those of phones to the camera's track.
 */
const A_TORCH = `
  window.lights = [];
  const { getCapabilities } = MediaStreamTrack.prototype;
  MediaStreamTrack.prototype.getCapabilities = function () {
    return { ...getCapabilities.call(this), torch: true };
  };
  MediaStreamTrack.prototype.applyConstraints = ({ advanced }) => {
    window.lights.push(advanced[0].torch);
    return Promise.resolve();
  };
`;

/** Records the vibrations, which no browser reports, and the animations that were started. */
const RECORD_FOUND = `
  window.vibrations = [];
  window.found = [];
  Navigator.prototype.vibrate = (ms) => window.vibrations.push(ms) > 0;
  document.addEventListener('animationstart', ({ animationName, target }) => {
    if (target.classList.contains('found')) window.found.push(animationName);
  });
`;

const UNTIL_OFF = `new Promise((resolve) => {
  const check = () => {
    if (window.tracks.every(({ readyState }) => readyState === 'ended')) resolve();
    else requestAnimationFrame(check);
  };
  check();
})`;

/** Records the page's camera tracks where the test can read them. */
const RECORD_TRACKS = `
  window.tracks = [];
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (constraints) => {
    const stream = await original(constraints);
    window.tracks.push(...stream.getTracks());
    return stream;
  };
`;
