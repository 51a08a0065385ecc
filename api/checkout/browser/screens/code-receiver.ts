// Receives the text of a code from the camera, a picture or the text field. A rejected code is
// explained on the screen, and another one may come.
import type { Corridor } from '../../../../src/corridors/names';
import { parseQrPayload, type QrPayload } from '../../../../src/domain/qr/payload';
import { isQrRejection } from '../../../../src/domain/qr/rejection';
import { element } from '../dom';
import type { Texts } from '../texts/en';

export interface CodeReceiver {
  /** Shows the messages. */
  readonly node: HTMLElement;
  readonly receive: (text: string) => void;
  /** Replaces the message; an empty text removes it. */
  readonly showMessage: (text: string) => void;
}

export function createReceiver(
  corridor: Corridor,
  { scan }: Texts,
  onCode: (code: QrPayload) => void,
): CodeReceiver {
  const node = element('p', { class: 'alert', role: 'alert' });
  const showMessage = (text: string) => {
    // A screen reader would read the same text again for every picture of the camera.
    if (node.textContent !== text) node.textContent = text;
  };
  return {
    node,
    showMessage,
    receive(text) {
      const read = parseQrPayload(text.trim(), corridor);
      if (!isQrRejection(read)) onCode(read);
      else if (read.rejection === 'wrong_corridor') {
        showMessage(`${scan.wrongCorridor} ${scan.country[corridor]}`);
      } else showMessage(scan.rejected[read.rejection]);
    },
  };
}
