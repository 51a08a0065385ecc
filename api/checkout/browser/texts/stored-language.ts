// The language that the payer chose, for as long as the tab lives.
import { LANGUAGES, type Language } from './choose';

const KEY = 'checkout:language';

export function storedLanguage(): Language | undefined {
  try {
    const remembered = sessionStorage.getItem(KEY);
    return LANGUAGES.find(({ language }) => language === remembered)?.language;
  } catch {
    return undefined;
  }
}

export function storeLanguage(language: Language): void {
  try {
    sessionStorage.setItem(KEY, language);
  } catch {
    // Storage may be switched off: then the choice holds until the page goes.
  }
}
