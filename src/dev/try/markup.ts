// HTML put together from text that may hold anything: what is not markup already is escaped.

export interface Markup {
  readonly html: string;
}

type Part = Markup | string | number | readonly Markup[];

export function markup(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const rest = parts.map((part, index) => asHtml(part) + (texts[index + 1] ?? ''));
  return { html: (texts[0] ?? '') + rest.join('') };
}

export const NOTHING: Markup = { html: '' };

function asHtml(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'html' in part ? part.html : part.map((one) => one.html).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
