// Computes the QR code of a link. The page loads this file when the payer requests the code.
import { create } from 'qrcode';

export interface LinkCode {
  /** Modules on each side. */
  readonly size: number;
  /** The dark modules as a path of SVG, one unit a module. */
  readonly path: string;
}

/** @throws Error when the link is too long for a QR code: 2 953 characters at most */
export function linkCode(link: string): LinkCode {
  // The lowest level of correction has the largest modules: a screen has no dirt.
  const { modules } = create(link, { errorCorrectionLevel: 'L' });
  const { size } = modules;
  const dark = [...modules.data].flatMap((isDark, index) =>
    isDark === 0 ? [] : [`M${index % size} ${Math.floor(index / size)}h1v1h-1z`],
  );
  return { size, path: dark.join('') };
}
