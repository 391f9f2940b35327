import type { PageLanguage } from './page-language.ts';
import { pageTexts } from './page-texts.ts';
import { type Html, html } from './pages.ts';

/** The ways to sign in on pages without scripts. */
export interface SignInWays {
  readonly hasPassword: boolean;
  /** The identity provider, with the address that signs in there and comes back to a page. */
  readonly provider: { readonly name: string; readonly href: (page: string) => string } | null;
  /** Returns the address in the web app that signs in with a passkey and comes back to a page. */
  readonly passkeyHref: ((page: string) => string) | null;
}

/** The fields of a form for the password. */
export function passwordFields(language: PageLanguage, email: string): Html {
  const t = pageTexts[language];
  return html`<label for="email">${t.email}</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}">
<label for="password">${t.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>`;
}

/**
 * The ways without a password, which come back to a page. They are links, because the policy of forms forbids redirects
 * to the provider.
 */
export function otherWays(language: PageLanguage, { provider, passkeyHref }: SignInWays, page: string): Html {
  const t = pageTexts[language];
  return html`${passkeyHref === null ? null : html`<p><a href="${passkeyHref(page)}">${t.passkey}</a></p>`}
${provider === null ? null : html`<p><a href="${provider.href(page)}">${t.signInBy(provider.name)}</a></p>`}`;
}
