// Runs jsQR off the main thread: each message has one picture, and the text or null is sent back on
// the message's port.
import jsQR from 'jsqr';

addEventListener('message', ({ data, ports }: MessageEvent<unknown>) => {
  const picture = isPicture(data) ? data : undefined;
  const found = picture && jsQR(picture.data, picture.width, picture.height);
  ports[0]?.postMessage(found?.data ?? null);
});

interface PictureData {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

function isPicture(value: unknown): value is PictureData {
  return (
    typeof value === 'object' &&
    value !== null &&
    'data' in value &&
    value.data instanceof Uint8ClampedArray &&
    'width' in value &&
    typeof value.width === 'number' &&
    'height' in value &&
    typeof value.height === 'number'
  );
}
