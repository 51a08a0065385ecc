// Reads QR codes from pictures, with the browser's own detector if it supports QR codes, else with
// jsQR in a worker.

type Picture = HTMLVideoElement | ImageBitmap;

export interface Detector {
  /** The texts of the codes in the picture; empty when there is none. */
  detect(picture: Picture): Promise<readonly string[]>;
  close(): void;
}

/** The part of the Barcode Detection API that is used; TypeScript does not know it yet. */
interface NativeDetector {
  detect(picture: Picture): Promise<readonly { readonly rawValue: string }[]>;
}
interface NativeDetectorConstructor {
  new (options: { readonly formats: readonly string[] }): NativeDetector;
  getSupportedFormats(): Promise<readonly string[]>;
}
declare global {
  var BarcodeDetector: NativeDetectorConstructor | undefined;
}

/** jsQR needs no larger picture, and a larger one takes longer. */
const PIXELS_ACROSS_MAX = 1_000;

export async function createDetector(): Promise<Detector> {
  const native = await createNative();
  let own: Detector | undefined;
  return {
    async detect(picture) {
      if (native !== undefined && own === undefined) {
        try {
          return (await native.detect(picture)).map(({ rawValue }) => rawValue);
        } catch {
          // Some systems offer a detector whose service is missing: jsQR is used from now on.
        }
      }
      own ??= createOwn();
      return own.detect(picture);
    },
    close() {
      own?.close();
    },
  };
}

async function createNative(): Promise<NativeDetector | undefined> {
  try {
    const formats = (await globalThis.BarcodeDetector?.getSupportedFormats()) ?? [];
    if (!formats.includes('qr_code') || globalThis.BarcodeDetector === undefined) return undefined;
    return new globalThis.BarcodeDetector({ formats: ['qr_code'] });
  } catch {
    return undefined;
  }
}

function createOwn(): Detector {
  const worker = new Worker(DECODER_WORKER_URL);
  const canvas = document.createElement('canvas');
  const failed = new Promise<never>((_resolve, reject) => {
    worker.addEventListener('error', () => reject(new Error('the worker does not run')));
  });
  failed.catch(() => undefined);
  return {
    async detect(picture) {
      const pixels = pixelsOf(picture, canvas);
      if (pixels === undefined) return [];
      const text = await Promise.race([requestWorker(worker, pixels), failed]);
      return text === null ? [] : [text];
    },
    close() {
      worker.terminate();
    },
  };
}

/** Each request has its own channel, so that answers cannot be mixed up. */
function requestWorker(worker: Worker, { data, width, height }: ImageData): Promise<string | null> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = ({ data: text }: MessageEvent<unknown>) => {
      port1.close();
      resolve(typeof text === 'string' ? text : null);
    };
    worker.postMessage({ data, width, height }, [port2, data.buffer]);
  });
}

/** Undefined until the camera delivers its first picture. */
function pixelsOf(picture: Picture, canvas: HTMLCanvasElement): ImageData | undefined {
  const [width, height] = sizeOf(picture);
  if (width === 0 || height === 0) return undefined;
  const scale = Math.min(1, PIXELS_ACROSS_MAX / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return undefined;
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

function sizeOf(picture: Picture): readonly [width: number, height: number] {
  return picture instanceof HTMLVideoElement
    ? [picture.videoWidth, picture.videoHeight]
    : [picture.width, picture.height];
}
