// The partner in the page's head, and the host that secures the page in its foot (decision 144).
import { element } from './dom';
import type { Partner } from './service/answers';
import type { Texts } from './texts/en';

/** Twice the height of a line: the style sheet reserves it, so that nothing moves. */
const LOGO_PIXELS = 40;

/** The place of the partner, empty until `show`. */
export function createPartnerPlace() {
  const node = element('div', { class: 'partner' });
  return {
    node,
    show: (partner: Partner | null): void => {
      if (partner === null) return;
      const name = element('bdi', {}, partner.name);
      node.replaceChildren(...(partner.logo === null ? [] : [logoOf(partner.logo)]), name);
    },
  };
}

function logoOf(path: string): HTMLImageElement {
  const side = String(LOGO_PIXELS);
  // The name beside it says the same.
  const logo = element('img', { src: path, alt: '', width: side, height: side });
  logo.addEventListener('error', () => logo.remove());
  return logo;
}

/** The payer can compare the host with the address bar. */
export function securedBy({ securedBy: text }: Texts): HTMLElement {
  return element('footer', {}, `${text} `, element('bdi', {}, location.hostname));
}
