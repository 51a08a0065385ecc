// Stores the language that the payer chose, as long as the tab is open.
import { LANGUAGES, type Language } from './choose';

const KEY = 'checkout:language';

export function storedLanguage(): Language | undefined {
  try {
    const stored = sessionStorage.getItem(KEY);
    return LANGUAGES.find(({ language }) => language === stored)?.language;
  } catch {
    return undefined;
  }
}

export function storeLanguage(language: Language): void {
  try {
    sessionStorage.setItem(KEY, language);
  } catch {
    // Storage may be switched off: then the choice lasts until the page is closed.
  }
}
