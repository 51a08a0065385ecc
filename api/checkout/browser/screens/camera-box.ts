// The camera on the scan screen: off until the payer asks for it, and off again when the page is not looked at.
import type * as Scanner from '../scan/scanner';
import { button, element } from '../dom';
import { memberOf } from '../member';
import type { Texts } from '../texts/en';

/** Where the text of a code goes, from whichever way it came. */
export interface CodeReceiver {
  /** A text that was scanned or pasted. */
  readonly take: (text: string) => void;
  /** Shows this text instead of the one before; an empty text shows none. */
  readonly tell: (text: string) => void;
}

/** Loaded when it is first needed. @throws when the network does not bring it */
export function loadScanner(): Promise<typeof Scanner> {
  return import('../scan/scanner');
}

export function createCameraBox(texts: Texts, taker: CodeReceiver) {
  const node = element('section', { class: 'camera' });
  let running: AbortController | undefined;

  const showOff = () => {
    node.replaceChildren(
      button(texts.scan.cameraStart, 'primary', () => void start()),
      element('p', { class: 'note' }, texts.scan.cameraWhy),
    );
  };
  const stop = () => {
    running?.abort();
    running = undefined;
  };
  const switchOff = () => {
    stop();
    showOff();
  };
  const start = async () => {
    taker.tell('');
    const { signal } = (running = new AbortController());
    const finder = createFinder(texts, switchOff);
    node.replaceChildren(...finder.nodes);
    finder.off.focus();
    try {
      const scanner = await loadScanner();
      await scanner.scanWithCamera(finder.video, taker.take, signal);
    } catch (error) {
      if (signal.aborted) return;
      taker.tell(explainFailure(error, texts));
      showOff();
    }
  };
  const onHidden = () => {
    if (document.visibilityState === 'hidden' && running !== undefined) switchOff();
  };
  document.addEventListener('visibilitychange', onHidden);
  showOff();
  return {
    node,
    leave: () => {
      document.removeEventListener('visibilitychange', onHidden);
      stop();
    },
  };
}

function createFinder({ scan }: Texts, onOff: () => void) {
  const video = element('video', { playsinline: true, 'aria-label': scan.cameraOn });
  // As a property: the attribute alone does not silence a video that was made by script.
  video.muted = true;
  const state = element('p', { class: 'note', role: 'status' }, scan.cameraStarting);
  video.addEventListener('playing', () => {
    state.textContent = scan.cameraOn;
  });
  const off = button(scan.cameraStop, 'secondary', onOff);
  return { video, off, nodes: [element('div', { class: 'viewfinder' }, video), state, off] };
}

function explainFailure(error: unknown, { scan }: Texts): string {
  switch (memberOf(error, 'failure')) {
    case 'refused':
      return scan.cameraRefused;
    case 'missing':
      return scan.cameraMissing;
    case 'busy':
      return scan.cameraBusy;
    default:
      return scan.scannerMissing;
  }
}
