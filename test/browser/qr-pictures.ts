// QR codes as pictures: a photo, and a film for the browser's camera.
import { writeFileSync } from 'node:fs';
import { create, toBuffer } from 'qrcode';

/** A PNG, as a payer's photo. */
export function qrPhoto(text: string): Promise<Buffer> {
  return toBuffer(text, { type: 'png', width: 290, margin: 4, errorCorrectionLevel: 'M' });
}

const [WIDTH, HEIGHT] = [640, 480];
const QUIET_MODULES = 4;
const [WHITE, BLACK, GREY] = [235, 16, 128];

/**
 * One picture with a code of at most that side, as a film in YUV4MPEG2, 4:2:0, the only format that
 * Chromium's camera reads besides Motion JPEG.
 */
export function writeQrFilm(path: string, text: string, sidePixels = HEIGHT): void {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const across = modules.size + 2 * QUIET_MODULES;
  const scale = Math.floor(sidePixels / across);
  const [left, top] = [WIDTH, HEIGHT].map((side) => Math.floor((side - across * scale) / 2));
  const luma = Buffer.alloc(WIDTH * HEIGHT, WHITE);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const column = Math.floor((x - (left ?? 0)) / scale) - QUIET_MODULES;
      const row = Math.floor((y - (top ?? 0)) / scale) - QUIET_MODULES;
      const isInside = [column, row].every((at) => at >= 0 && at < modules.size);
      if (isInside && modules.get(row, column) !== 0) luma[y * WIDTH + x] = BLACK;
    }
  }
  const chroma = Buffer.alloc((WIDTH * HEIGHT) / 2, GREY);
  const header = `YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`;
  writeFileSync(path, Buffer.concat([Buffer.from(header), Buffer.from('FRAME\n'), luma, chroma]));
}
