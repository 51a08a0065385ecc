// The two ways to give a code without the camera: a picture of the code, which may be chosen,
// dropped or pasted, and its text.
import { button, element } from '../dom';
import { loadScanner } from '../service/load';
import type { Texts } from '../texts/en';
import type { CodeReceiver } from './code-receiver';

/** More than phones take. */
const PICTURE_MAX_BYTES = 30_000_000;

/** @param isDropped on a computer pictures are dropped or pasted rather than chosen */
export function createPictureBox(texts: Texts, receiver: CodeReceiver, isDropped: boolean) {
  const { scan } = texts;
  const input = element('input', { type: 'file', accept: 'image/*', class: 'unseen', id: 'photo' });
  const read = (picture: File) => readPicture(picture, texts, receiver);
  input.addEventListener('change', () => {
    const photo = input.files?.[0];
    // The value is cleared so that the same photo can be chosen again.
    if (photo !== undefined) void read(photo).finally(() => (input.value = ''));
  });
  const label = isDropped
    ? element(
        'label',
        { for: 'photo', class: 'button drop' },
        scan.drop,
        element('span', { class: 'note' }, scan.dropHow),
      )
    : element('label', { for: 'photo', class: 'button secondary' }, scan.photo);
  const node = element('div', { class: 'photo' }, input, label);
  return { node, leave: onTransfer(node, read, receiver.receive) };
}

async function readPicture(
  picture: File,
  { scan }: Texts,
  { receive, showMessage }: CodeReceiver,
): Promise<void> {
  if (picture.size > PICTURE_MAX_BYTES) {
    showMessage(scan.photoTooLarge);
    return;
  }
  showMessage(scan.photoReading);
  let text: string | null | undefined;
  try {
    text = await (await loadScanner()).scanPhoto(picture);
  } catch {
    showMessage(scan.scannerMissing);
    return;
  }
  if (text === null) showMessage(scan.photoUnreadable);
  else if (text === undefined) showMessage(scan.photoWithoutCode);
  else receive(text);
}

/**
 * Receives what is dropped or pasted anywhere on the page, until the returned function is called. A
 * browser would open a file that is dropped beside the box, and leave the payment.
 */
function onTransfer(
  box: HTMLElement,
  onPicture: (picture: File) => Promise<void>,
  onText: (text: string) => void,
): () => void {
  const onPaste = (event: ClipboardEvent) => {
    const picture = event.clipboardData?.files[0];
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (picture === undefined && event.target instanceof HTMLTextAreaElement) return;
    if (picture !== undefined) void onPicture(picture);
    else if (text !== '') onText(text);
  };
  const onDrag = (event: DragEvent) => {
    event.preventDefault();
    box.classList.toggle('over', event.type === 'dragover');
  };
  const onDrop = (event: DragEvent) => {
    onDrag(event);
    const picture = event.dataTransfer?.files[0];
    if (picture !== undefined) void onPicture(picture);
  };
  document.addEventListener('paste', onPaste);
  document.addEventListener('dragover', onDrag);
  document.addEventListener('dragleave', onDrag);
  document.addEventListener('drop', onDrop);
  return () => {
    document.removeEventListener('paste', onPaste);
    document.removeEventListener('dragover', onDrag);
    document.removeEventListener('dragleave', onDrag);
    document.removeEventListener('drop', onDrop);
  };
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
