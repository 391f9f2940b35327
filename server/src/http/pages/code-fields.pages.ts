import type { PageLanguage } from './page-language.ts';
import { pageTexts } from './page-texts.ts';
import { type Html, html } from './pages.ts';

/** The part of a form that asks for the second factor of a sign-in. */
export function codeFields(language: PageLanguage, ticket: string): Html {
  const t = pageTexts[language];
  return html`<input type="hidden" name="ticket" value="${ticket}">
<label for="second_factor">${t.secondFactor}</label>
<input id="second_factor" name="second_factor" autocomplete="one-time-code" autocapitalize="off" spellcheck="false" required autofocus>
<p class="soft">${t.secondFactorAbout}</p>`;
}
