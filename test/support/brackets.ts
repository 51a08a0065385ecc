// What a test file or a describe block stands on: opened before its tests and closed after them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryKeySets, startApp, type AppOptions, type TestApp } from './app';
import { anIntent, openTestBed, type BedOptions, type TestBed } from './builders';
import { NOON } from './clock';
import { aPartner, type PartnerWish, type TestPartner } from './payments/partner';

interface Often {
  /** Opens one for each test and not one for all. */
  readonly isPerTest?: boolean;
}

const perTest = new WeakSet();

/** A database with every store over it. It may be used as soon as the tests run. */
export function withDatabase({ isPerTest = false, ...options }: BedOptions & Often = {}): TestBed {
  return bracket(
    () => openTestBed(options),
    (bed) => bed.close(),
    isPerTest,
  );
}

/** A partner of that database's. */
export function withPartner(
  bed: TestBed,
  { isPerTest = perTest.has(bed), ...wish }: PartnerWish & Often = {},
): TestPartner {
  return bracket(() => aPartner(bed, wish), undefined, isPerTest);
}

/** The API over that database, on a port of its own. */
export function withApp(bed: TestBed, options: () => AppOptions = () => ({})): TestApp {
  return bracket(
    () => startApp(bed, options()),
    (app) => app.close(),
    perTest.has(bed),
  );
}

interface ApiWish extends BedOptions {
  readonly partner?: PartnerWish;
  readonly other?: PartnerWish;
  readonly app?: AppOptions;
}

/**
 * The API with two partners, whose key sets it finds, and an open intent of the first one's. Each test begins at noon, with an
 * orchestration that settles and no rejection counted yet.
 */
export function withApi({ partner: first, other: second, app: options, ...wish }: ApiWish = {}) {
  const bed = withDatabase(wish);
  const [partner, other] = [withPartner(bed, first), withPartner(bed, second)];
  const app = withApp(bed, () => ({
    keySets: createMemoryKeySets([partner, other]),
    ...options,
  }));
  const intent = prepared(bed, () => anIntent(bed, partner));
  beforeEach(async () => {
    app.mode = 'settle';
    app.rejections.length = 0;
    if (bed.clock.now() !== NOON) await bed.setNow(NOON);
  });
  return { bed, app, partner, other, intent };
}

/** A folder that is there at once, removed after the tests. */
export function withFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-test-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** An object that is made as often as the database. */
export function prepared<Made extends object>(bed: TestBed, make: () => Promise<Made>): Made {
  return bracket(make, undefined, perTest.has(bed));
}

/** The same object all the time, which gets its members when they are made. Getters stay getters. */
export function bracket<Opened extends object>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => Promise<unknown> = () => Promise.resolve(),
  isPerTest = false,
): Opened {
  const target = {} as Opened;
  if (isPerTest) perTest.add(target);
  (isPerTest ? beforeEach : beforeAll)(async () => {
    Object.defineProperties(target, Object.getOwnPropertyDescriptors(await open()));
  });
  (isPerTest ? afterEach : afterAll)(() => close(target));
  return target;
}
