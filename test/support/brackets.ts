// Fixtures of a test file or a describe block: opened before its tests and closed after them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryKeySets, startApp, type AppOptions, type TestApp } from './app';
import { anIntent, openTestBed, type BedOptions, type TestBed } from './builders';
import { NOON } from './clock';
import { aPartner, type TestPartnerOptions, type TestPartner } from './payments/partner';

interface Frequency {
  /** Opens a new fixture for each test instead of one for all. */
  readonly isPerTest?: boolean;
}

const perTest = new WeakSet();

/** A database with all stores, usable as soon as the tests run. */
export function withDatabase({
  isPerTest = false,
  ...options
}: BedOptions & Frequency = {}): TestBed {
  return bracket(
    () => openTestBed(options),
    (bed) => bed.close(),
    isPerTest,
  );
}

/** A partner in that database. */
export function withPartner(
  bed: TestBed,
  { isPerTest = perTest.has(bed), ...options }: TestPartnerOptions & Frequency = {},
): TestPartner {
  return bracket(() => aPartner(bed, options), undefined, isPerTest);
}

/** The API over that database, on a free port. */
export function withApp(bed: TestBed, options: () => AppOptions = () => ({})): TestApp {
  return bracket(
    () => startApp(bed, options()),
    (app) => app.close(),
    perTest.has(bed),
  );
}

interface ApiOptions extends BedOptions {
  readonly partner?: TestPartnerOptions;
  readonly other?: TestPartnerOptions;
  readonly app?: AppOptions;
}

/**
 * The API with two partners, their key sets, and an open intent of the first. Each test begins at
 * noon, with a runner that settles and without counted rejections.
 */
export function withApi({
  partner: first,
  other: second,
  app: options,
  ...bedOptions
}: ApiOptions = {}) {
  const bed = withDatabase(bedOptions);
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

/** Creates a folder at once and removes it after the tests. */
export function withFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'payments-test-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** An object that is made once per test if the database is, otherwise once. */
export function prepared<Made extends object>(bed: TestBed, make: () => Promise<Made>): Made {
  return bracket(make, undefined, perTest.has(bed));
}

/** Returns one object that gets its members when the fixture is opened. Getters stay getters. */
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
