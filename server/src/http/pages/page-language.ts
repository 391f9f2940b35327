import Negotiator from 'negotiator';

/** The languages of the pages, the first one for everybody else. */
export const PAGE_LANGUAGES = ['en', 'de', 'ja'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** The best language of the pages for the Accept-Language header of a request. */
export function acceptedLanguage(header: string | undefined): PageLanguage {
  const wanted = new Negotiator({ headers: { 'accept-language': header ?? '' } }).languages();
  for (const tag of wanted) {
    const language = spoken(tag);
    if (language !== null) return language;
  }
  return PAGE_LANGUAGES[0];
}

/** The language of a person who is known, else that of the request. @param locale BCP 47. */
export function personLanguage(locale: string | null, accepted: PageLanguage): PageLanguage {
  return (locale === null ? null : spoken(locale)) ?? accepted;
}

function spoken(tag: string): PageLanguage | null {
  const base = tag.split('-', 1)[0]?.toLowerCase();
  return PAGE_LANGUAGES.find((language) => language === base) ?? null;
}
