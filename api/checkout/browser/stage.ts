// The frame around every screen: language, steps, connection, and announcements for screen readers.
// A screen is drawn again when the language changes. Its heading gets the focus when it is first
// shown, so that keyboards and screen readers start there.
import { element } from './dom';
import { createPartnerPlace, securedBy } from './partner';
import { drawProgress, type StepName } from './screens/progress';
import type { Partner } from './service/answers';
import { attempt } from './session/stored-session';
import { chooseLanguage, LANGUAGES, textsIn, type Language } from './texts/choose';
import type { Texts } from './texts/en';

export interface Screen {
  readonly title: string;
  /** The step of the payment; none on a screen from which no payment can be made. */
  readonly step?: StepName;
  /** Above the heading. */
  readonly icon?: Node;
  /** `bleed` covers the whole window. */
  readonly layout?: 'centred' | 'bleed';
  /** Below the heading. */
  readonly body: readonly (Node | null)[];
  /** Called before the screen is replaced: stops timers and cameras. */
  readonly leave?: () => void;
}

export type View = (texts: Texts) => Screen;

export interface Stage {
  readonly show: (view: View) => void;
  /** A screen reader reads the text aloud once; it is not visible. */
  readonly announce: (text: string) => void;
  readonly showPartner: (partner: Partner | null) => void;
}

/** @param ready nothing is drawn before it resolves: the page shows its initial content */
export function createStage(ready: Promise<void>): Stage {
  const frame = createFrame();
  let language = storedLanguage() ?? chooseLanguage(navigator.languages);
  let view: View | undefined;
  let screen: Screen | undefined;
  let isReady = false;

  const draw = () => {
    screen?.leave?.();
    const texts = textsIn(language);
    document.documentElement.lang = language;
    drawAround(frame, texts);
    screen = view?.(texts);
    if (screen === undefined) return;
    document.title = screen.title;
    arrangeFrame(frame, screen, texts);
    const heading = element('h1', { tabindex: '-1' }, screen.title);
    const nodes = [screen.icon ?? null, heading, ...screen.body];
    frame.main.replaceChildren(...nodes.filter((node) => node !== null));
  };
  const enter = () => {
    draw();
    scrollTo(0, 0);
    frame.main.querySelector('h1')?.focus();
  };
  onChoice(frame.languages, (chosen) => {
    language = chosen;
    draw();
  });
  onConnection((isOnline) => {
    const { offline, online } = textsIn(language);
    frame.connection.textContent = isOnline ? '' : offline;
    frame.spoken.textContent = isOnline ? online : '';
  });
  void ready.then(() => {
    isReady = true;
    replaceBody(frame.nodes);
    enter();
  });
  return {
    show(next) {
      view = next;
      if (isReady) enter();
    },
    announce(text) {
      frame.spoken.textContent = text;
    },
    showPartner: frame.partner.show,
  };
}

/** Draws what depends on the language alone. */
function drawAround(frame: ReturnType<typeof createFrame>, texts: Texts): void {
  frame.languages.value = texts.language;
  frame.languages.setAttribute('aria-label', texts.languageNav);
  frame.connection.textContent = navigator.onLine ? '' : texts.offline;
  // A new element: the old one, moved by a longer screen, would count as a layout shift.
  const foot = securedBy(texts);
  frame.foot.replaceWith(foot);
  frame.foot = foot;
}

function arrangeFrame(
  { header, main, foot, progress }: ReturnType<typeof createFrame>,
  { step, layout }: Screen,
  texts: Texts,
): void {
  drawProgress(progress, step, texts);
  main.className = layout ?? '';
  header.hidden = layout === 'bleed';
  foot.hidden = layout === 'bleed';
}

function onChoice(languages: HTMLSelectElement, listener: (chosen: Language) => void): void {
  languages.addEventListener('change', () => {
    const chosen = chooseLanguage([languages.value]);
    // Storage may be switched off: then the choice lasts until the page is closed.
    attempt(() => sessionStorage.setItem(LANGUAGE_KEY, chosen));
    listener(chosen);
  });
}

const LANGUAGE_KEY = 'checkout:language';

/** The language that the payer chose, as long as the tab is open. */
function storedLanguage(): Language | undefined {
  const stored = attempt(() => sessionStorage.getItem(LANGUAGE_KEY));
  return LANGUAGES.find(({ language }) => language === stored)?.language;
}

function onConnection(listener: (isOnline: boolean) => void): void {
  addEventListener('online', () => listener(true));
  addEventListener('offline', () => listener(false));
}

function createFrame() {
  const languages = element(
    'select',
    {},
    ...LANGUAGES.map(({ language, name }) =>
      element('option', { value: language, lang: language }, name),
    ),
  );
  const progress = element('ol', { class: 'progress' });
  const connection = element('p', { class: 'connection', role: 'status' });
  const main = element('main', { id: 'main' });
  const spoken = element('p', { class: 'unseen', role: 'status' });
  const partner = createPartnerPlace();
  const foot = element('footer');
  const top = element('div', { class: 'top' }, partner.node, languages);
  const header = element('header', {}, top, progress, connection);
  const nodes = [header, main, foot, spoken];
  return { partner, header, languages, progress, connection, main, foot, spoken, nodes };
}

/** A new body: the old one, moved by the style sheet, would count as a layout shift. */
function replaceBody(nodes: readonly Node[]): void {
  const lost = document.querySelector('#lost');
  document.body.replaceWith(element('body', {}, ...nodes, lost));
}
