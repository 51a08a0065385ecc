// Every fault that can be drawn is one that somebody knows how to make.
import { strikeOf } from './faults';
import { DECK } from './schedule';

it.each(DECK.map((card) => [card.kind, card] as const))('%s can be made', (_kind, card) => {
  const fault = { atMs: 0, kind: card.kind, targets: [], detail: '', lastsMs: 0 };
  expect(strikeOf(fault)).toBeInstanceOf(Function);
});

it('a fault that nobody knows is refused before anything is harmed', () => {
  const fault = { atMs: 0, kind: 'flood', targets: [], detail: '', lastsMs: 0 };
  expect(() => strikeOf(fault)).toThrow('nobody knows how to flood');
});
