import i18next from 'i18next';

/** The parts of the catalogue, each loaded with the pages that need it. */
export const PARTS = [
  'start',
  'vault',
  'settings',
  'editor',
  'graph',
  'imports',
  'welcome',
  'admin',
  'tasks',
  'changes',
  'activity',
  'sharing',
] as const;
export type Part = (typeof PARTS)[number];

/** The languages that the app speaks, by their own names. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', ja: '日本語' } as const;
export type Language = keyof typeof LANGUAGES;

const STORED = 'notevault-language';

const catalogues = import.meta.glob<Record<string, object>>('./{en,de,ja}/*.ts');

/** Returns the best language for a list of BCP 47 tags in order of preference. */
export function bestLanguage(wanted: readonly (string | null)[]): Language {
  for (const tag of wanted) {
    const base = tag?.toLowerCase().split('-', 1)[0];
    if (base !== undefined && Object.hasOwn(LANGUAGES, base)) return base as Language;
  }
  return 'en';
}

/** Starts the catalogue in the language of this browser. */
export async function startTranslation(): Promise<void> {
  const language = bestLanguage([localStorage.getItem(STORED), ...navigator.languages]);
  await i18next.init({
    lng: language,
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false },
    returnNull: false,
  });
  await loadTexts('start');
  announce(language);
}

/** Loads a part of the catalogue in the current language. */
export async function loadTexts(part: Part): Promise<void> {
  await loadPart(i18next.language as Language, part);
}

/** Changes the language of the app and remembers it in this browser. */
export async function setLanguage(language: Language): Promise<void> {
  const parts = PARTS.filter((part) => i18next.hasResourceBundle(i18next.language, part));
  await Promise.all(parts.map((part) => loadPart(language, part)));
  localStorage.setItem(STORED, language);
  await i18next.changeLanguage(language);
  announce(language);
}

async function loadPart(language: Language, part: Part): Promise<void> {
  if (i18next.hasResourceBundle(language, part)) return;
  const module = await catalogues[`./${language}/${part}.ts`]?.();
  i18next.addResourceBundle(language, part, module?.[part] ?? {});
}

function announce(language: Language): void {
  document.documentElement.lang = language;
  document.documentElement.dir = i18next.dir(language);
}
