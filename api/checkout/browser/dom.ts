// Creates elements without a framework. Text is never parsed as markup.

type Attributes = Readonly<Record<string, string | boolean>>;
type Child = Node | string | null;

/** An attribute with the value true is set without a value; one with the value false is not set. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function button(
  label: string,
  kind: 'primary' | 'secondary' | 'quiet',
  onPress: () => void,
): HTMLButtonElement {
  const made = element('button', { type: 'button', class: `button ${kind}` }, label);
  // Without the event: a callback may take an optional argument of another type.
  made.addEventListener('click', () => onPress());
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

/** For a page without its style sheet. */
const UNSTYLED = {
  width: '48',
  height: '48',
  fill: 'none',
  stroke: 'currentColor',
  'stroke-width': '3.5',
};

/** A line drawing, hidden from screen readers: the text beside it says the same. */
export function icon(name: 'done' | 'failed' | 'waiting' | 'notice'): SVGElement {
  const made = document.createElementNS(SVG, 'svg');
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', ICONS[name]);
  made.setAttribute('viewBox', '0 0 48 48');
  const attributes = { ...UNSTYLED, class: `icon ${name}`, 'aria-hidden': 'true' };
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(line);
  return made;
}

const CIRCLE = 'M24 4a20 20 0 1 1 0 40a20 20 0 1 1 0-40';
const ICONS = {
  done: `${CIRCLE}M15 25l6.5 6.5L34 18`,
  failed: `${CIRCLE}M17 17l14 14M31 17L17 31`,
  waiting: `${CIRCLE}M24 13v11l7 5`,
  notice: `${CIRCLE}M24 14v13M24 33v.5`,
} as const;
