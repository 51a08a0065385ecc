// How many webhooks one process sends to one endpoint at a time.
import { createEndpointSlots } from '../../src/domain/endpoint-slots';
import { knownPartnerId } from '../../src/postgres/intent-row';

const ACME = knownPartnerId('acme');
const ZEN = knownPartnerId('zen');

it('gives no more slots of an endpoint than it has', () => {
  const slots = createEndpointSlots(3);
  expect([slots.take(ACME, 2), slots.take(ACME, 2), slots.take(ACME, 1)]).toEqual([2, 1, 0]);
});

it('gives the slots of one endpoint whatever others have taken', () => {
  const slots = createEndpointSlots(1);
  expect([slots.take(ACME, 1), slots.take(ZEN, 1)]).toEqual([1, 1]);
});

it('gives a slot again that was released', () => {
  const slots = createEndpointSlots(2);
  slots.take(ACME, 2);
  slots.release(ACME, 1);
  expect(slots.take(ACME, 2)).toBe(1);
  slots.release(ACME, 2);
  expect(slots.take(ACME, 2)).toBe(2);
});

it('gives none beyond the number that the caller allows to be in use', () => {
  const slots = createEndpointSlots(4);
  expect([slots.take(ACME, 4, 1), slots.take(ACME, 4, 1), slots.take(ACME, 4)]).toEqual([1, 0, 3]);
});
