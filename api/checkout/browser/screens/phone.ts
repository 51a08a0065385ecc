// "Continue on your phone": the link of this payment as a QR code. The code is as good as the
// token, so it is shown only on request, for a short time, and not while the page is hidden.
import { button, drawing, element } from '../dom';
import { loadLinkCode } from '../service/load';
import type { View } from '../stage';
import { onHidden } from './on-hidden';

interface PhoneOptions {
  readonly link: string;
  readonly onShown: () => void;
  readonly onClose: () => void;
}

/** Long enough to find the phone's camera. */
const SHOWN_MS = 30_000;
/** The margin that scanners need. */
const QUIET_MODULES = 4;

export function phoneView({ link, onShown, onClose }: PhoneOptions): View {
  return ({ phone }) => {
    const place = element('div', { class: 'code' });
    const failure = element('p', { class: 'alert', role: 'alert' });
    let hasLeft = false;
    drawCode(link, phone.code).then(
      (code) => {
        if (hasLeft) return;
        place.append(code);
        onShown();
      },
      () => (failure.textContent = phone.failed),
    );
    const timer = setTimeout(onClose, SHOWN_MS);
    const stopListening = onHidden(onClose);
    return {
      title: phone.title,
      step: 'scan',
      body: [
        element('p', {}, `${phone.scan} `, element('strong', {}, phone.danger)),
        failure,
        place,
        element('div', { class: 'actions' }, button(phone.hide, 'secondary', onClose)),
      ],
      leave: () => {
        hasLeft = true;
        clearTimeout(timer);
        stopListening();
      },
    };
  };
}

/** @throws when the program for it cannot be loaded, or the link is too long */
async function drawCode(link: string, name: string): Promise<Node> {
  const { linkCode } = await loadLinkCode();
  const { size, path } = linkCode(link);
  const side = size + 2 * QUIET_MODULES;
  const viewBox = `${-QUIET_MODULES} ${-QUIET_MODULES} ${side} ${side}`;
  return drawing(path, { viewBox, role: 'img', 'aria-label': name });
}
