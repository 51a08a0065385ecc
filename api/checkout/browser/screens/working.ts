// The screen after the confirmation. It shows only the progress that is known, and never says
// "failed".
import type { Progress } from '../confirmation';
import { button, element, icon } from '../dom';
import type { Screen } from '../stage';
import type { Texts } from '../texts/en';
import { paidBlock, type Paid } from './amount';

interface WorkingOptions {
  /** Null when the page was reloaded since the confirmation and does not know it. */
  readonly paid: () => Paid | null;
  readonly announce: (text: string) => void;
  /** Null when the page may not open the app. */
  readonly onLeave: (() => void) | null;
}

const SLOW_AFTER_MS = 10_000;

export function createWorking({ paid, announce, onLeave }: WorkingOptions) {
  let progress: Progress = { known: 'sent', isUnreachable: false };
  let update = (): void => undefined;
  return {
    setProgress: (next: Progress): void => {
      progress = next;
      update();
    },
    view: (texts: Texts): Screen => {
      const summary = element('div');
      const status = element('p', { class: 'status' });
      const steps = element('ol', { class: 'steps' });
      const slow = element('div', { class: 'actions' });
      update = () => {
        const text = describe(progress, texts);
        if (status.textContent !== text) announce(text);
        status.textContent = text;
        const known = paid();
        summary.replaceChildren(known === null ? '' : paidBlock(known, texts));
        steps.replaceChildren(...stepsOf(progress, texts));
      };
      update();
      const timer = setTimeout(() => {
        slow.append(element('p', {}, texts.working.slow));
        if (onLeave !== null) slow.append(button(texts.working.leave, 'secondary', onLeave));
        announce(texts.working.slow);
      }, SLOW_AFTER_MS);
      const stopListening = onConnection(() => update());
      return {
        title: texts.working.title,
        step: 'result',
        body: [summary, steps, status, slow],
        leave: () => {
          clearTimeout(timer);
          stopListening();
        },
      };
    },
  };
}

function describe({ known, isUnreachable }: Progress, { working }: Texts): string {
  switch (known) {
    case 'sent':
      return working.sent;
    case 'unanswered':
      return navigator.onLine ? working.unanswered : working.unansweredOffline;
    case 'confirmed':
      return isUnreachable ? working.confirmedUnreachable : working.confirmed;
  }
}

/** The current step is the first that is not known to be done. */
function stepsOf({ known }: Progress, { working, progress }: Texts): readonly Node[] {
  const current = known === 'confirmed' ? 2 : 0;
  return working.steps.map((name, index) => {
    const state = index < current ? 'done' : index === current ? 'current' : 'ahead';
    const spoken = { done: progress.done, current: working.current, ahead: null }[state];
    return element(
      'li',
      { class: state, ...(state === 'current' && { 'aria-current': 'step' }) },
      state === 'done' ? icon('done') : null,
      name,
      spoken === null ? null : element('span', { class: 'unseen' }, ` (${spoken})`),
    );
  });
}

function onConnection(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
