import i18next, { type TFunction } from 'i18next';
import { useSyncExternalStore } from 'react';
import type { Part } from './i18n.ts';

function subscribe(listener: () => void): () => void {
  i18next.on('languageChanged', listener);
  return () => i18next.off('languageChanged', listener);
}

/** The texts of a part, in the current language. */
export function useTexts<P extends Part>(part: P): TFunction<P> {
  const language = useSyncExternalStore(subscribe, () => i18next.language);
  return i18next.getFixedT(language, part);
}
