// The museum: publicly documented failures of payment systems, and the page that shows them.
import { ENDS } from './ends';
import type { Exhibit } from './exhibit';
import { SENDING } from './sending';
import { MESSAGES } from './messages';

export const MUSEUM: readonly Exhibit[] = [...SENDING, ...ENDS, ...MESSAGES];

/** The generated part of docs/museum.md. */
export function museumPage(): string {
  return MUSEUM.map(paragraphsOf).join('\n\n');
}

function paragraphsOf({ title, link, what, rule, script, end }: Exhibit, index: number): string {
  const choices = Object.entries(script).map(([name, option]) => `- ${name}: ${option}`);
  return [
    `### ${String(index + 1)}. ${title}`,
    `${what} ([${link.replace('https://github.com/', '')}](${link}))`,
    `**Here**: ${rule}`,
    `Re-enacted with these choices, it ends ${end}:`,
    choices.join('\n'),
  ].join('\n\n');
}
