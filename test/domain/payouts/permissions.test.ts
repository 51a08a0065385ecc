// The table of what a provider's answer permits, a test for each cell (decision 150).
import {
  FAILURE_CODES,
  FORGOTTEN,
  PASSING_CODES,
  permissionsOf,
  type Abilities,
  type PayoutRecord,
} from '../../../src/domain/payouts/permissions';
import { SURE } from '../../support/payments/answers';

/** The safe value of each ability. */
const UNSURE: Abilities = {
  ...({ repeat: 'unsafe', findsByKey: true, notFoundIsProof: false } as const),
  ...{ refusalIsFinal: false, declineIsFinal: false },
};

const UNTOUCHED: PayoutRecord = { ...FORGOTTEN, mayBeForgotten: false };
const SENT: PayoutRecord = { ...UNTOUCHED, requests: 1, requestedMs: 10_000 };
const REFUSED: PayoutRecord = { ...SENT, refusals: 1, refusedAs: 'insufficient_balance' };
const REFUSED_FOR_GOOD: PayoutRecord = { ...REFUSED, refusedAs: 'compliance' };

type Answer = Parameters<typeof permissionsOf>[0];
type Cell = readonly [
  record: Partial<PayoutRecord>,
  abilities: Partial<Abilities>,
  send: boolean,
  release: boolean,
];

function cells(answer: Answer, from: PayoutRecord, ofAbilities: Abilities, list: readonly Cell[]) {
  it.each(list)('with %j and %j: send %j, release %j', (record, abilities, send, release) => {
    const may = permissionsOf(answer, { ...from, ...record }, { ...ofAbilities, ...abilities });
    expect(may).toEqual({ send, release });
  });
}

describe('no request is recorded, and none can be forgotten', () => {
  describe('not_found', () => {
    cells('not_found', UNTOUCHED, UNSURE, [
      [{}, {}, true, true],
      [{}, { repeat: 'same' }, true, true],
      [{}, { findsByKey: false }, true, true],
      [{ isQuiet: false }, {}, false, false],
    ]);
  });

  describe('unknown', () => {
    cells('unknown', UNTOUCHED, UNSURE, [
      [{}, { repeat: 'same' }, false, false],
      [{}, { repeat: 'refused' }, false, false],
      [{}, { findsByKey: false, repeat: 'refused' }, true, true],
      [{}, { findsByKey: false }, false, true],
    ]);
  });

  describe.each(['paid', 'pending', 'returned'] as const)('%s', (answer) => {
    cells(answer, UNTOUCHED, SURE, [[{}, {}, false, false]]);
  });
});

describe('a request may be forgotten', () => {
  describe('unknown', () => {
    cells('unknown', FORGOTTEN, SURE, [[{}, {}, false, false]]);
  });

  describe('not_found', () => {
    cells('not_found', FORGOTTEN, UNSURE, [
      [{}, {}, false, false],
      [{}, { repeat: 'same' }, true, false],
      [{}, { notFoundIsProof: true }, false, true],
      [{ isQuiet: false }, { repeat: 'same', notFoundIsProof: true }, false, false],
    ]);
  });
});

describe('after a request without an answer', () => {
  describe.each(['paid', 'pending', 'returned', 'unknown'] as const)('%s', (answer) => {
    cells(answer, SENT, SURE, [[{}, {}, false, false]]);
  });

  describe('not_found', () => {
    cells('not_found', SENT, UNSURE, [
      [{}, {}, false, false],
      [{}, { repeat: 'same' }, true, false],
      [{}, { repeat: 'refused' }, true, false],
      [{}, { notFoundIsProof: true }, false, true],
      [{ isQuiet: false }, SURE, false, false],
      [{ isAccepted: true }, SURE, false, false],
      [{ declinedMs: 60_000 }, SURE, false, false],
    ]);
  });

  describe('declined', () => {
    cells('declined', SENT, UNSURE, [
      [{}, {}, false, false],
      [{}, { declineIsFinal: true }, false, true],
      [{ declinedMs: 5_999 }, {}, false, false],
      [{ declinedMs: 6_000 }, {}, false, true],
      [{ declinedMs: 6_000, isQuiet: false }, {}, false, false],
      [{ isAccepted: true }, { declineIsFinal: true }, false, true],
    ]);
  });
});

describe('not_found after each request was refused with a code that passes', () => {
  cells('not_found', REFUSED, UNSURE, [
    [{}, {}, false, false],
    [{}, { repeat: 'same' }, true, false],
    [{ requestedMs: 59_999 }, { repeat: 'same', refusalIsFinal: true }, true, false],
    [{ requestedMs: 60_000 }, { repeat: 'same' }, false, false],
    [{ requestedMs: 60_000 }, { repeat: 'same', refusalIsFinal: true }, false, true],
    [{ requestedMs: 60_000 }, { notFoundIsProof: true }, false, true],
    [{ requestedMs: 60_000, mayBeForgotten: true }, { refusalIsFinal: true }, false, false],
    [{ isQuiet: false }, SURE, false, false],
  ]);
});

describe('not_found after a refusal with a code that does not pass', () => {
  cells('not_found', REFUSED_FOR_GOOD, UNSURE, [
    [{}, { repeat: 'same' }, false, false],
    [{}, { repeat: 'same', refusalIsFinal: true }, false, true],
    [{ requests: 2 }, { repeat: 'same', refusalIsFinal: true }, false, false],
    [{ requests: 2 }, { repeat: 'same', notFoundIsProof: true }, false, true],
    [{ mayBeForgotten: true }, { refusalIsFinal: true }, false, false],
    [{ isAccepted: true }, SURE, false, false],
  ]);
});

describe.each(['paid', 'pending', 'returned', 'unknown'] as const)(
  'a refusal, then %s',
  (answer) => {
    cells(answer, REFUSED_FOR_GOOD, SURE, [[{}, {}, false, false]]);
  },
);

it('only two codes pass', () => {
  expect(PASSING_CODES).toEqual(['insufficient_balance', 'provider_down']);
  const repeated = FAILURE_CODES.filter(
    (refusedAs) => permissionsOf('not_found', { ...REFUSED, refusedAs }, SURE).send,
  );
  expect(repeated).toEqual(PASSING_CODES);
});
