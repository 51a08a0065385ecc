// The schedule of each exhibit breaks its naive logic, but not this engine.
import { bracket } from '../../support/brackets';
import { scripted } from '../run/choices';
import { live } from '../life';
import { openHarness } from '../world/harness';
import { perform } from './exhibit';
import { MUSEUM } from './museum';

const harness = bracket(openHarness, (opened) => opened.close());
const exhibits = MUSEUM.map((exhibit) => [exhibit.title, exhibit] as const);

test('there are at least twenty exhibits, each with its own link', () => {
  const links = new Set(MUSEUM.map(({ link }) => link));
  expect(links.size).toBeGreaterThanOrEqual(20);
  expect(links.size).toBe(MUSEUM.length);
});

test.each(exhibits)('%s: its schedule breaks the naive logic', (_title, { naive }) => {
  expect(naive.isBroken(naive.state)).toBe(false);
  expect(naive.isBroken(perform(naive))).toBe(true);
});

test.each(exhibits)('%s: this engine violates no invariant', async (_title, { script, end }) => {
  const { findings, faults, steps, settings } = await live(harness, scripted(script));
  const violated = findings.filter(({ violations }) => violations > 0).map(({ name }) => name);
  const last = steps.map(({ text }) => text).findLast((text) => text.includes(' → '));
  expect([violated, last]).toEqual([[], end]);
  // Every choice of the script has happened.
  const met = [...faults.map(({ what }) => what), ...settings.map((one) => one.split(': ')[1])];
  expect(met).toEqual(expect.arrayContaining(Object.values(script)));
});
