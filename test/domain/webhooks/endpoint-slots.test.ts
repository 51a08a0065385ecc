// How many webhooks one process sends to one endpoint at a time.
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

it('gives no more slots of an endpoint than it has', () => {
  const slots = createEndpointSlots(2);
  expect(takeAt(slots, [ACME, ACME, ACME])).toEqual([true, true, false]);
});

it('gives the slots of one endpoint whatever others have taken', () => {
  expect(takeAt(createEndpointSlots(1), [ACME, ZEN])).toEqual([true, true]);
});

it('gives a slot again that was released', () => {
  const slots = createEndpointSlots(2);
  takeAt(slots, [ACME, ACME]);
  slots.release(ACME);
  expect(takeAt(slots, [ACME, ACME])).toEqual([true, false]);
});

it('gives none beyond the number that the caller allows to be in use', () => {
  const slots = createEndpointSlots(4);
  expect(takeAt(slots, [ACME, ACME], 1)).toEqual([true, false]);
  expect(takeAt(slots, [ACME], 9)).toEqual([true]);
});
