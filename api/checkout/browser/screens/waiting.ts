// While the session is asked for, and while nobody answers.
import { button, element } from '../dom';
import type { View } from '../stage';

/** Then it is said that this takes long. */
const SLOW_AFTER_MS = 6_000;

export function openingView(announce: (text: string) => void): View {
  return ({ opening }) => {
    const slow = element('p', { class: 'note' });
    const timer = setTimeout(() => {
      slow.textContent = opening.slow;
      announce(opening.slow);
    }, SLOW_AFTER_MS);
    return {
      title: opening.title,
      body: [element('div', { class: 'spinner', 'aria-hidden': 'true' }), slow],
      leave: () => {
        clearTimeout(timer);
      },
    };
  };
}

export function unreachableView(onRetry: () => void): View {
  return ({ unreachable }) => ({
    title: unreachable.title,
    body: [element('p', {}, unreachable.text), button(unreachable.retry, 'primary', onRetry)],
  });
}
