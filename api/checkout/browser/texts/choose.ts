// Chooses the language of the page: the payer's first preferred language that the page has.
import { EN, type Texts } from './en';
import { TH } from './th';
import { VI } from './vi';

export type Language = Texts['language'];

export const LANGUAGES: readonly { readonly language: Language; readonly name: string }[] = [
  { language: 'en', name: 'English' },
  { language: 'th', name: 'ไทย' },
  { language: 'vi', name: 'Tiếng Việt' },
];

const TEXTS: Readonly<Record<Language, Texts>> = { en: EN, th: TH, vi: VI };

export function textsIn(language: Language): Texts {
  return TEXTS[language];
}

/** @param preferred BCP 47 tags, the most preferred first */
export function chooseLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const known = LANGUAGES.find(({ language }) => tag.toLowerCase().split('-')[0] === language);
    if (known !== undefined) return known.language;
  }
  return 'en';
}
