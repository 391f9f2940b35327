import type { PageLanguage } from '../../http/pages/page-language.ts';
import { pageTexts } from '../../http/pages/page-texts.ts';
import { faultOf, Html, html, type Page } from '../../http/pages/pages.ts';
import { type ConsentTexts, consentTexts } from './consent-texts.pages.ts';
import type { ConsentRequest } from './oauth.ts';

/** The page for signing in before the decision. @param fault an explained error; null for none. */
export function signInPage(
  language: PageLanguage,
  { client, formToken }: ConsentRequest,
  fault: string | null,
  email: string,
): Page {
  const [t, common] = [consentTexts[language], pageTexts[language]];
  return {
    language,
    title: common.signIn,
    body: html`<h1>${t.signInTitle(nameOf(client, t))}</h1>
${faultOf(fault)}
<form method="post">
<input type="hidden" name="token" value="${formToken}">
<input type="hidden" name="step" value="sign-in">
<label for="email">${common.email}</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}">
<label for="password">${common.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div class="buttons">
<button name="step" value="deny" formnovalidate>${common.cancel}</button>
<button class="main">${common.signIn}</button>
</div>
</form>`,
    formTargets: formTargets(client.redirectUri),
  };
}

/** The page for choosing vaults and levels. */
export function consentPage(language: PageLanguage, options: ConsentRequest, fault: string | null): Page {
  const [t, common] = [consentTexts[language], pageTexts[language]];
  const { client, formToken, vaults, account, top } = options;
  const permissions = top === 'write' ? (['none', 'read', 'write'] as const) : (['none', 'read'] as const);
  const select = (name: string, id: string, chosen: string) => html`<select id="${id}" name="${name}">
${permissions.map((permission) => html`<option value="${permission}"${new Html(permission === chosen ? ' selected' : '')}>${t.permissions[permission]}</option>`)}
</select>`;
  const rows = vaults.map(
    ({ id, name, isDefault }, index) => html`<div class="row">
<label for="vault-${index}">${name}</label>
${select(`vault:${id}`, `vault-${index}`, isDefault ? top : 'none')}
</div>
`,
  );
  return {
    language,
    title: t.title,
    body: html`<h1>${t.wants(nameOf(client, t))}</h1>
${faultOf(fault)}
<dl>
<dt>${t.who}</dt>
<dd>${whoOf(client, t)}</dd>
<dt>${t.where}</dt>
<dd><code>${client.redirectUri}</code></dd>
<dt>${t.what}</dt>
<dd>${top === 'write' ? t.write : t.read}</dd>
</dl>
<form method="post">
<input type="hidden" name="token" value="${formToken}">
<fieldset>
<legend>${t.inEach}</legend>
${rows}<div class="row">
<label for="elsewhere">${t.later}</label>
${select('elsewhere', 'elsewhere', vaults.length === 0 ? top : 'none')}
</div>
</fieldset>
<p class="soft">${t.revocable}</p>
<div class="buttons">
<button name="step" value="deny">${common.refuse}</button>
<button class="main" name="step" value="allow">${t.allow}</button>
</div>
<p class="soft">${common.signedInAs(account?.email ?? '')} <button class="link" name="step" value="sign-out">${t.someoneElse}</button></p>
</form>`,
    formTargets: formTargets(client.redirectUri),
  };
}

type Client = ConsentRequest['client'];

function nameOf({ name, redirectUri }: Client, t: ConsentTexts): string {
  return name ?? hostOf(redirectUri, t);
}

/** Shown before anything that the application says about itself. */
function whoOf({ verified, redirectUri }: Client, t: ConsentTexts): Html {
  const host = hostOf(redirectUri, t);
  if (verified) return t.verified(host);
  return URL.parse(redirectUri)?.protocol === 'https:' ? t.unverifiedSite(host) : t.unverifiedProgram;
}

function hostOf(redirectUri: string, t: ConsentTexts): string {
  const url = URL.parse(redirectUri);
  return url === null || url.host === '' ? (url?.protocol ?? t.application) : url.host;
}

/** CSP has no IPv6 addresses, and allows programs only by their scheme. */
function formTargets(redirectUri: string): string[] {
  const url = URL.parse(redirectUri);
  if (url === null || !/^[a-z][a-z0-9+.-]*:$/.test(url.protocol)) return [];
  const isHost = /^https?:$/.test(url.protocol) && /^[a-z0-9.-]+(:\d+)?$/.test(url.host);
  return [isHost ? url.origin : url.protocol];
}
