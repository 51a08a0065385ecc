// Builds HTML from untrusted text: every part that is not markup is escaped.

export interface Markup {
  readonly html: string;
}

type Part = Markup | string | number | readonly Markup[];

export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return { html: String.raw({ raw: texts }, ...parts.map(asHtml)) };
}

export const NOTHING: Markup = { html: '' };

function asHtml(part: Part): string {
  if (typeof part === 'object') return 'html' in part ? part.html : part.map(asHtml).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
