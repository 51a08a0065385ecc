// The three steps of a payment above the title of each screen.
import { element } from '../dom';
import type { Texts } from '../texts/en';

const STEPS = ['scan', 'review', 'result'] as const;
export type StepName = (typeof STEPS)[number];

export function drawProgress(list: HTMLElement, step: StepName | undefined, texts: Texts): void {
  const { label, done, ...names } = texts.progress;
  const current = STEPS.findIndex((name) => name === step);
  // It keeps its height, so that the title below stays where it is.
  list.classList.toggle('no-step', current < 0);
  list.setAttribute('aria-label', label);
  list.replaceChildren(
    ...STEPS.map((name, index) => {
      const state = index < current ? 'done' : index === current ? 'current' : 'ahead';
      return element(
        'li',
        { class: state, ...(state === 'current' && { 'aria-current': 'step' }) },
        names[name],
        state === 'done' ? element('span', { class: 'unseen' }, ` (${done})`) : null,
      );
    }),
  );
}
