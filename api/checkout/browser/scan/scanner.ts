// The camera and the payer's photos, loaded when they are first asked for: nobody waits for a scanner before there is
// something to scan. Pictures are looked at here and never leave the device.
import { createDetector, type Detector } from './detector';

export type CameraFailure = 'refused' | 'missing' | 'busy';

const READ_EVERY_MS = 150;

/**
 * Shows the camera and reads what it sees, until told to stop.
 * @throws CameraError when there is no picture to be had
 */
export async function scanWithCamera(
  video: HTMLVideoElement,
  onText: (text: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const stream = await openCamera();
  const detector = await createDetector();
  try {
    video.srcObject = stream;
    if (!stop.aborted) await video.play();
    while (!stop.aborted) {
      for (const text of await detector.detect(video)) {
        // Told to stop while it looked, it has nothing more to say.
        if (!isAborted(stop)) onText(text);
      }
      await pause(READ_EVERY_MS);
    }
  } finally {
    detector.close();
    for (const track of stream.getTracks()) track.stop();
    video.srcObject = null;
  }
}

/** The first code in a photo. @throws when the file is no picture that this browser reads */
export async function scanPhoto(photo: Blob): Promise<string | undefined> {
  const picture = await createImageBitmap(photo);
  const detector = await createDetector();
  try {
    return (await detectAnywhere(detector, picture))[0];
  } finally {
    detector.close();
    picture.close();
  }
}

/** A code that is small in a large photo is found in a part of it. */
async function detectAnywhere(
  detector: Detector,
  picture: ImageBitmap,
): Promise<readonly string[]> {
  const whole = await detector.detect(picture);
  if (whole.length > 0) return whole;
  for (const part of partsOf(picture)) {
    const bitmap = await createImageBitmap(picture, ...part);
    const found = await detector.detect(bitmap);
    bitmap.close();
    if (found.length > 0) return found;
  }
  return [];
}

type Part = [x: number, y: number, width: number, height: number];

/** Nine that overlap by half, so that a code lies whole in one of them. */
function partsOf({ width, height }: ImageBitmap): readonly Part[] {
  const [partWidth, partHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  return [0, 1, 2].flatMap((row) =>
    [0, 1, 2].map((column): Part => [
      Math.floor((column * width) / 4),
      Math.floor((row * height) / 4),
      partWidth,
      partHeight,
    ]),
  );
}

export class CameraError extends Error {
  readonly failure: CameraFailure;

  constructor(failure: CameraFailure) {
    super(failure);
    this.name = 'CameraError';
    this.failure = failure;
  }
}

async function openCamera(): Promise<MediaStream> {
  // Old browsers, and pages without TLS, have no such object.
  if (!('mediaDevices' in navigator)) throw new CameraError('missing');
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: {
        facingMode: { ideal: 'environment' },
        width: { ideal: 1_280 },
        height: { ideal: 720 },
      },
    });
  } catch (error) {
    throw new CameraError(failureOf(error));
  }
}

function failureOf(error: unknown): CameraFailure {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'refused';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return 'busy';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}
