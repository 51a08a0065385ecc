// The camera: asked for, refused, missing, switched off; and the two ways to read what it sees.
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { bracket, withFolder } from '../support/brackets';
import { anIntent } from '../support/builders';
import { aVietnameseCode } from '../support/payments/qr-codes';
import { openBrowser, type BrowserWish } from './chromium';
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

async function openScan(wish: BrowserWish, inPage = ''): Promise<Visit> {
  browser = await openBrowser(wish);
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
  ['refused', 'The camera is not allowed'],
  ['missing', 'No camera was found'],
] as const)('a camera that is %s is explained, and the other ways stay', async (camera, told) => {
  const visit = await openScan({ camera });
  await start(visit);
  await visit.page.getByRole('alert').getByText(told).waitFor();
  expect(await visit.page.getByText('Choose a photo of the code').isVisible()).toBe(true);
  expect(await visit.page.getByRole('button', { name: 'Scan with the camera' }).isVisible()).toBe(
    true,
  );
  expect(visit.offences).toEqual([]);
});

it('the scanner is loaded when it is asked for, and not before', async () => {
  const visit = await openScan({});
  expect(scannerFiles()).toBe(0);
  await start(visit);
  await visit.page.getByText('The camera is on').waitFor();
  expect(scannerFiles()).toBeGreaterThan(0);
});

it('a code of the wrong country is explained while the camera goes on', async () => {
  const visit = await openScan({ cameraFile: filmOf(aVietnameseCode()) });
  await start(visit);
  await visit.page.getByRole('alert').getByText('This is a Vietnamese code').waitFor();
  expect(await visit.page.getByText('The camera is on').isVisible()).toBe(true);
});

it('the camera is off once it is stopped, and once the code is read', async () => {
  const visit = await openScan({});
  await visit.page.evaluate(KEEP_TRACKS);
  await start(visit);
  await visit.page.getByText('The camera is on').waitFor();
  await visit.page.getByRole('button', { name: 'Stop the camera' }).click();
  await visit.page.evaluate(UNTIL_OFF);
  expect(await visit.page.evaluate('window.tracks.length')).toBe(1);
});

it('the browser’s own detector is used where it knows QR codes, and ours is not loaded', async () => {
  const visit = await openScan({}, aDetector(['qr_code'], 'Promise.resolve([{ rawValue: CODE }])'));
  await start(visit);
  await visit.page.getByRole('heading', { name: 'Check the payment' }).waitFor();
  expect(world.network.arrivals.filter(({ url }) => url.includes('decoder'))).toEqual([]);
});

it.each([
  ['knows no QR codes', aDetector(['ean_13'], 'Promise.resolve([])')],
  ['does not work', aDetector(['qr_code'], 'Promise.reject(new Error("no service"))')],
])('ours is used where the browser’s own detector %s', async (_name, inPage) => {
  const visit = await openScan({ cameraFile: filmOf(FULL_CODE) }, inPage);
  await start(visit);
  await visit.page.getByRole('heading', { name: 'Check the payment' }).waitFor();
  expect(world.network.arrivals.some(({ url }) => url.includes('decoder'))).toBe(true);
});

/** This Chromium has none: what phones have, put in its place before the page begins. */
function aDetector(formats: readonly string[], answer: string): string {
  return `
    const CODE = ${JSON.stringify(FULL_CODE)};
    window.BarcodeDetector = class {
      static getSupportedFormats() { return Promise.resolve(${JSON.stringify(formats)}); }
      detect() { return ${answer}; }
    };`;
}

const UNTIL_OFF = `new Promise((resolve) => {
  const look = () => {
    if (window.tracks.every(({ readyState }) => readyState === 'ended')) resolve();
    else requestAnimationFrame(look);
  };
  look();
})`;

/** The page's camera is kept where the test can look at it. */
const KEEP_TRACKS = `
  window.tracks = [];
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = async (wish) => {
    const stream = await ask(wish);
    window.tracks.push(...stream.getTracks());
    return stream;
  };
`;
