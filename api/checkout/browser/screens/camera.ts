// The camera over the whole window. It is on only while this screen is shown and the page is
// visible. A rejected code is explained while the camera keeps scanning.
import type { QrPayload } from '../../../../src/domain/qr/payload';
import { button, element } from '../dom';
import { memberOf } from '../member';
import { formatUsdCents } from '../money';
import type { Torch } from '../scan/torch';
import { loadScanner } from '../service/load';
import type { View } from '../stage';
import type { Texts } from '../texts/en';
import type { Payable } from './amount';
import { createReceiver } from './code-receiver';

interface CameraOptions {
  readonly payable: Payable;
  readonly onCode: (code: QrPayload) => void;
  /** @param problem why the camera cannot be used */
  readonly onClose: (problem?: (texts: Texts) => string) => void;
}

const VIBRATION_MS = 60;

export function cameraView({ payable, onCode, onClose }: CameraOptions): View {
  return (texts) => {
    const running = new AbortController();
    const finder = createFinder(texts);
    // The payer may close the camera while the found code is shown.
    const handOver = (code: QrPayload) => {
      if (!running.signal.aborted) onCode(code);
    };
    const receiver = createReceiver(payable.session.corridor, texts, (code) => {
      if (!finder.isFound()) void finder.showFound().then(() => handOver(code));
    });
    const controls = element(
      'div',
      { class: 'controls' },
      button(texts.scan.cameraStop, 'secondary', onClose),
    );
    const stopListening = onHidden(onClose);
    const options = {
      video: finder.video,
      onText: receiver.receive,
      onTorch: (torch: Torch) => controls.prepend(torchButton(torch, texts)),
      stop: running.signal,
    };
    const scanning = loadScanner().then(({ scanWithCamera }) => scanWithCamera(options));
    scanning.catch((error: unknown) => {
      if (!running.signal.aborted) onClose((now) => explainFailure(error, now));
    });
    return {
      title: texts.scan.title,
      layout: 'bleed',
      body: [finder.node, receiver.node, hints(payable, texts, finder.state), controls],
      leave: () => {
        stopListening();
        running.abort();
      },
    };
  };
}

function hints({ session }: Payable, { youPay, scan: texts, language }: Texts, state: Node): Node {
  const sum = element('strong', {}, formatUsdCents(session.amountUsdCents, language));
  const amount = element('p', {}, `${youPay} `, sum);
  return element(
    'div',
    { class: 'panel' },
    amount,
    element('p', {}, texts.country[session.corridor]),
    state,
  );
}

/**
 * Notices that the payer has left the page.
 * @returns a function that ends the watch
 */
function onHidden(listener: () => void): () => void {
  const listen = () => {
    if (document.visibilityState === 'hidden') listener();
  };
  document.addEventListener('visibilitychange', listen);
  return () => document.removeEventListener('visibilitychange', listen);
}

function createFinder({ scan: { cameraOn, cameraStarting } }: Texts) {
  const video = element('video', { playsinline: true, 'aria-label': cameraOn });
  // Set as a property: the attribute alone does not mute a video that a script created.
  video.muted = true;
  const state = element('p', { role: 'status' }, cameraStarting);
  video.addEventListener('playing', () => {
    state.textContent = cameraOn;
  });
  const node = element('div', { class: 'viewfinder' }, video);
  const isFound = () => node.classList.contains('found');
  /** Resolves after the flash, at once for a reader who has asked for less motion. */
  const showFound = async (): Promise<void> => {
    node.classList.add('found');
    video.pause();
    // Safari has no vibration.
    if ('vibrate' in navigator) navigator.vibrate(VIBRATION_MS);
    await Promise.allSettled(node.getAnimations({ subtree: true }).map(({ finished }) => finished));
  };
  return { node, video, state, isFound, showFound };
}

function torchButton(torch: Torch, { scan: { light } }: Texts): Node {
  let isOn = false;
  const made = button(light, 'secondary', () => {
    torch(!isOn).then(
      () => {
        isOn = !isOn;
        made.setAttribute('aria-pressed', String(isOn));
      },
      // The camera goes on without the light.
      () => undefined,
    );
  });
  made.setAttribute('aria-pressed', 'false');
  return made;
}

function explainFailure(error: unknown, { scan: texts }: Texts): string {
  switch (memberOf(error, 'failure')) {
    case 'denied':
      return texts.cameraDenied;
    case 'missing':
      return texts.cameraMissing;
    case 'busy':
      return texts.cameraBusy;
    default:
      return texts.scannerMissing;
  }
}
