// The camera on the scan screen: off until the payer starts it, and off again when the page is
// hidden.
import type * as Scanner from '../scan/scanner';
import { button, element } from '../dom';
import { memberOf } from '../member';
import type { Texts } from '../texts/en';

/** Receives the text of a code from the camera, a photo or the text field. */
export interface CodeReceiver {
  /** Receives a scanned or pasted text. */
  readonly receive: (text: string) => void;
  /** Replaces the message on the screen; an empty text removes it. */
  readonly showMessage: (text: string) => void;
}

/** Loads the scanner when it is first needed. @throws when it cannot be loaded */
export function loadScanner(): Promise<typeof Scanner> {
  return import('../scan/scanner');
}

export function createCameraBox(texts: Texts, receiver: CodeReceiver) {
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
    receiver.showMessage('');
    const { signal } = (running = new AbortController());
    const finder = createFinder(texts, switchOff);
    node.replaceChildren(...finder.nodes);
    finder.off.focus();
    try {
      const scanner = await loadScanner();
      await scanner.scanWithCamera(finder.video, receiver.receive, signal);
    } catch (error) {
      if (signal.aborted) return;
      receiver.showMessage(explainFailure(error, texts));
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
  // Set as a property: the attribute alone does not mute a video that a script created.
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
    case 'denied':
      return scan.cameraDenied;
    case 'missing':
      return scan.cameraMissing;
    case 'busy':
      return scan.cameraBusy;
    default:
      return scan.scannerMissing;
  }
}
