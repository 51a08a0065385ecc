// What an outcome may say about money: only a status of the service shows that nothing was charged.
import {
  openOutcome,
  rejectedOutcome,
  settledOutcome,
  usedOutcome,
} from '../../api/checkout/browser/outcomes';
import { INTENT_STATUSES } from '../../src/domain/intents/payment-intent';

const UNCHARGED = ['failed', 'cancelled', 'expired'];

describe('"You were not charged"', () => {
  it.each(INTENT_STATUSES)('of the status %s is said only if no debit is left', (status) => {
    const isNotCharged = UNCHARGED.includes(status);
    for (const outcome of [settledOutcome(status), usedOutcome(status)]) {
      expect(outcome.options.isNotCharged ?? false).toBe(isNotCharged);
    }
  });

  it.each(['pending', 'unknown', 'otherCode', 'closed'] as const)(
    'is never said of the open outcome "%s"',
    (name) => {
      expect(openOutcome(name).options.isNotCharged).toBe(false);
    },
  );

  it('is said of a confirm that the limit of the day has rejected', () => {
    expect(openOutcome('limited').options.isNotCharged).toBe(true);
  });

  it.each(['invalid', 'expired'] as const)('is never said of a link that is %s', (why) => {
    expect(rejectedOutcome(why).options.isNotCharged).toBeUndefined();
  });
});

it('amount and merchant are shown only of a payment by the code that was confirmed here', () => {
  const shown = (['pending', 'unknown', 'otherCode', 'closed', 'limited'] as const).filter(
    (name) => openOutcome(name).isByCode,
  );
  expect(shown).toEqual(['pending', 'unknown']);
  expect(usedOutcome('captured').isByCode).toBe(false);
});
