// The two ways to give a code without the camera: a photo of the code, and its text.
import { button, element } from '../dom';
import type { Texts } from '../texts/en';
import { loadScanner } from '../scan/load';
import type { CodeReceiver } from './code-receiver';

export function createPhotoBox({ scan }: Texts, { receive, showMessage }: CodeReceiver): Node {
  const input = element('input', { type: 'file', accept: 'image/*', class: 'unseen', id: 'photo' });
  const read = async (photo: File) => {
    showMessage(scan.photoReading);
    const scanner = await loadScanner().catch(() => undefined);
    if (scanner === undefined) {
      showMessage(scan.scannerMissing);
      return;
    }
    const text = await scanner.scanPhoto(photo).catch(() => null);
    if (text === null) showMessage(scan.photoUnreadable);
    else if (text === undefined) showMessage(scan.photoWithoutCode);
    else receive(text);
  };
  input.addEventListener('change', () => {
    const photo = input.files?.[0];
    // The value is cleared so that the same photo can be chosen again.
    if (photo !== undefined) void read(photo).finally(() => (input.value = ''));
  });
  const label = element('label', { for: 'photo', class: 'button secondary' }, scan.photo);
  return element('div', { class: 'photo' }, input, label);
}

export function createPasteBox({ scan }: Texts, { receive, showMessage }: CodeReceiver): Node {
  const field = element('textarea', {
    id: 'code',
    rows: '3',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
  });
  const use = () => {
    if (field.value.trim() === '') showMessage(scan.pasteEmpty);
    else receive(field.value);
  };
  return element(
    'details',
    {},
    element('summary', {}, scan.paste),
    element('label', { for: 'code' }, scan.pasteLabel),
    field,
    button(scan.pasteCheck, 'secondary', use),
  );
}
