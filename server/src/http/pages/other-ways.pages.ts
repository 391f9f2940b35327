import type { PageLanguage } from './page-language.ts';
import { pageTexts } from './page-texts.ts';
import { type Html, html } from './pages.ts';

/**
 * Returns the address in the web app that signs in with a passkey and comes back to a page, which has no script to do
 * it. Null on servers without passkeys.
 */
export type PasskeyLink = ((page: string) => string) | null;

/** The buttons of a form that sign in without a password. */
export function otherWays(language: PageLanguage, link: PasskeyLink): Html {
  return link === null
    ? html``
    : html`<button name="step" value="passkey" formnovalidate>${pageTexts[language].passkey}</button>`;
}
