import i18next, { type TFunction } from 'i18next';
import { useMemo, useSyncExternalStore } from 'react';
import type { Part } from './i18n.ts';

function subscribe(listener: () => void): () => void {
  i18next.on('languageChanged', listener);
  return () => i18next.off('languageChanged', listener);
}

/** The current language. */
export function useLanguage(): string {
  return useSyncExternalStore(subscribe, () => i18next.language);
}

/** The texts of a part, in the current language; the same function until the language changes. */
export function useTexts<P extends Part>(part: P): TFunction<P> {
  const language = useLanguage();
  return useMemo(() => i18next.getFixedT(language, part), [language, part]);
}
