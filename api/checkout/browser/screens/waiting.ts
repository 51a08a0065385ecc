// The screens while the session is read, and while the service does not answer.
import { button, element } from '../dom';
import type { View } from '../stage';

/** After this time the screen says that it takes longer than usual. */
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
      leave: () => clearTimeout(timer),
    };
  };
}

export function unreachableView(onRetry: () => void): View {
  return ({ unreachable }) => ({
    title: unreachable.title,
    body: [element('p', {}, unreachable.text), button(unreachable.retry, 'primary', onRetry)],
  });
}
