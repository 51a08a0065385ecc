// The bound of simultaneous webhooks of one process to one endpoint, and which endpoints have
// answered fast lately.
import {
  createEndpointSlots,
  createEndpointSpeeds,
  type EndpointSlots,
} from '../../../src/domain/webhooks/endpoints';
import type { PartnerId } from '../../../src/domain/ids';
import { knownPartnerId } from '../../../src/postgres/intents/row';

const ACME = knownPartnerId('acme');
const ZEN = knownPartnerId('zen');

const takeAt = (slots: EndpointSlots, partners: readonly PartnerId[], inUseMax?: number) =>
  partners.map((partnerId) => slots.take(partnerId, inUseMax));

it('an endpoint has no more slots than configured', () => {
  const slots = createEndpointSlots(2);
  expect(takeAt(slots, [ACME, ACME, ACME])).toEqual([true, true, false]);
});

it('the slots of one endpoint do not depend on other endpoints', () => {
  expect(takeAt(createEndpointSlots(1), [ACME, ZEN])).toEqual([true, true]);
});

it('a released slot can be taken again', () => {
  const slots = createEndpointSlots(2);
  takeAt(slots, [ACME, ACME]);
  slots.release(ACME);
  expect(takeAt(slots, [ACME, ACME])).toEqual([true, false]);
});

it('no slot is taken beyond the number that the caller allows', () => {
  const slots = createEndpointSlots(4);
  expect(takeAt(slots, [ACME, ACME], 1)).toEqual([true, false]);
  expect(takeAt(slots, [ACME], 9)).toEqual([true]);
});

/** The speeds after this many fast answers of ACME. */
function after(count: number) {
  const speeds = createEndpointSpeeds();
  for (let n = 0; n < count; n += 1) speeds.record(ACME, 300, true);
  return speeds;
}

it.each([
  [0, false],
  [9, false],
  [10, true],
  [11, true],
])('after %d fast answers in a row an endpoint is fast: %s', (count, isFast) => {
  expect(after(count).isFast(ACME)).toBe(isFast);
});

it.each([
  ['slower than 300 ms', 301, true],
  ['not 2xx', 1, false],
] as const)('an answer that is %s begins the count again', (_what, durationMs, isDelivered) => {
  const speeds = after(10);
  speeds.record(ACME, durationMs, isDelivered);
  expect(speeds.isFast(ACME)).toBe(false);
  for (let n = 0; n < 9; n += 1) speeds.record(ACME, 1, true);
  expect(speeds.isFast(ACME)).toBe(false);
  speeds.record(ACME, 1, true);
  expect(speeds.isFast(ACME)).toBe(true);
});

it('the answers of one endpoint do not make another fast', () => {
  expect(after(10).isFast(ZEN)).toBe(false);
});
