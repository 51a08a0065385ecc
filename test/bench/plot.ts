// A run's figures as a picture: each ratio with its interval, drawn as a share of its target, so that one line down the middle is the
// target of all. Plain SVG, since a library would be longer than this.
import type { Result } from './report';

const ROW_HEIGHT = 22;
const LABEL_WIDTH = 470;
const PLOT_WIDTH = 420;
const FIGURE_WIDTH = 190;
const TOP = 56;
const BOTTOM = 34;
const WIDTH = LABEL_WIDTH + PLOT_WIDTH + FIGURE_WIDTH;
/** Shares of the target at either edge, and where the axis is marked. The axis is logarithmic: twice and half are as far. */
const [LEAST, MOST] = [0.125, 8];
const MARKS = [0.125, 0.25, 0.5, 1, 2, 4, 8];
const STYLE = `text{font:13px sans-serif;fill:#222}.head{font-weight:600;font-size:15px}.axis{stroke:#ddd}
.target{stroke:#555;stroke-dasharray:4 3}.pass{stroke:#1a7f37;fill:#1a7f37}.missed{stroke:#b42318;fill:#b42318}`;

/** @param caption one line below: machine, command and date */
export function plotOf(results: readonly Result[], caption: string): string {
  const height = TOP + results.length * ROW_HEIGHT + BOTTOM;
  const bottom = height - BOTTOM;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Ratios as shares of their targets">`,
    `<style>${STYLE}</style><rect width="100%" height="100%" fill="#fff"/>`,
    textAt(10, 22, 'Ratio as a share of its target, with its 95 % interval', 'head'),
    ...MARKS.map((mark) => markAt(mark, bottom)),
    ...results.map((result, index) => rowOf(result, TOP + (index + 0.5) * ROW_HEIGHT)),
    textAt(10, height - 10, caption),
    '</svg>',
    '',
  ].join('\n');
}

function markAt(share: number, bottom: number): string {
  const at = place(share);
  const line = `<line class="${share === 1 ? 'target' : 'axis'}" x1="${at}" x2="${at}" y1="${TOP}" y2="${bottom}"/>`;
  return `${line}<text x="${at}" y="${TOP - 8}" text-anchor="middle">${share === 1 ? 'target' : share}</text>`;
}

function rowOf({ name, ratio, low, high, target, pass }: Result, y: number): string {
  const [from, at, to] = [low, ratio, high].map((value) => place(value / target));
  const figure = `${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
  return [
    textAt(10, y + 4, name),
    `<g class="${pass ? 'pass' : 'missed'}" stroke-width="2"><line x1="${from}" x2="${to}" y1="${y}" y2="${y}"/>`,
    `<circle cx="${at}" cy="${y}" r="4"/></g>`,
    textAt(LABEL_WIDTH + PLOT_WIDTH + 12, y + 4, figure),
  ].join('');
}

/** What lies beyond an edge is drawn at the edge; its figure stands beside it. */
function place(share: number): number {
  const within = Math.min(MOST, Math.max(LEAST, share));
  const part = Math.log(within / LEAST) / Math.log(MOST / LEAST);
  return Number((LABEL_WIDTH + part * PLOT_WIDTH).toFixed(1));
}

function textAt(x: number, y: number, text: string, style = ''): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<text x="${x}" y="${y}"${style === '' ? '' : ` class="${style}"`}>${escaped}</text>`;
}
