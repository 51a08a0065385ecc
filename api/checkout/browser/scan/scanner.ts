// Scans codes with the camera and in the payer's photos. The page loads this file when it first
// scans, so that it starts faster. Pictures are read here and never leave the device.
import { createDetector, type Detector } from './detector';
import { torchOf, type Torch } from './torch';

export type CameraFailure = 'denied' | 'missing' | 'busy';

const READ_EVERY_MS = 150;

interface CameraScan {
  /** Shows the camera's picture. */
  readonly video: HTMLVideoElement;
  readonly onText: (text: string) => void;
  /** Called once if the camera has a light. */
  readonly onTorch: (torch: Torch) => void;
  /** Ends the scan and switches the camera off. */
  readonly stop: AbortSignal;
}

/** Reads codes until it is stopped. @throws CameraError when the camera gives no picture */
export async function scanWithCamera({ video, onText, onTorch, stop }: CameraScan): Promise<void> {
  const stream = await openCamera();
  const detector = await createDetector();
  try {
    video.srcObject = stream;
    if (!stop.aborted) await video.play();
    const torch = torchOf(stream);
    if (torch !== undefined) onTorch(torch);
    while (!stop.aborted) {
      for (const text of await detector.detect(video)) {
        // The signal may have been aborted during the detection.
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

/**
 * The first code in a photo; null when this browser cannot read the file as a picture.
 * @throws when the scanner is not loaded completely
 */
export async function scanPhoto(photo: Blob): Promise<string | null | undefined> {
  const picture = await createImageBitmap(photo).catch(() => null);
  if (picture === null) return null;
  const detector = await createDetector();
  try {
    return (await detectAnywhere(detector, picture))[0];
  } finally {
    detector.close();
    picture.close();
  }
}

/** A small code in a large photo may be found only in a part of it. */
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

/** Nine parts that overlap by half, so that a code lies completely in one of them. */
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
  // Old browsers, and pages without TLS, have no `mediaDevices`.
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
  if (name === 'NotAllowedError' || name === 'SecurityError') return 'denied';
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return 'missing';
  return 'busy';
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isAborted({ aborted }: AbortSignal): boolean {
  return aborted;
}
