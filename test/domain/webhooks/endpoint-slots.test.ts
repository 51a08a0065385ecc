// The bound of simultaneous webhooks of one process to one endpoint.
import {
  createEndpointSlots,
  type EndpointSlots,
} from '../../../src/domain/webhooks/endpoint-slots';
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
