import type { PageLanguage } from '../../http/pages/page-language.ts';
import { pageTexts } from '../../http/pages/page-texts.ts';
import { faultOf, Html, html, type Page } from '../../http/pages/pages.ts';
import type { DeviceConsentRequest } from './devices.ts';
import { linkTexts } from './link-texts.pages.ts';

/** The page for typing the code that a device shows. @param fault an explained error; null for none. */
export function linkPage(
  language: PageLanguage,
  { code, email }: { code: string; email: string },
  fault: string | null,
): Page {
  const [t, common] = [linkTexts[language], pageTexts[language]];
  return {
    language,
    title: t.title,
    body: html`<h1>${t.title}</h1>
<p>${t.about}</p>
${faultOf(fault)}
<form method="post" action="/link">
<label for="code">${t.code}</label>
<input id="code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required value="${code}">
<label for="email">${common.email}</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}">
<label for="password">${common.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div class="buttons">
<button class="main" name="step" value="sign-in">${t.goOn}</button>
</div>
</form>`,
  };
}

export function linkChoicePage(
  language: PageLanguage,
  { token, email, device, newVault, vaults }: DeviceConsentRequest,
): Page {
  const [t, common] = [linkTexts[language], pageTexts[language]];
  const options = vaults.map(
    ({ id, name, isDefault }) =>
      html`<option value="${id}"${new Html(isDefault ? ' selected' : '')}>${name}</option>
`,
  );
  return {
    language,
    title: t.title,
    body: html`<h1>${t.question(device)}</h1>
<p>${t.access}</p>
<form method="post" action="/link">
<input type="hidden" name="token" value="${token}">
<div class="row">
<label for="vault">${t.vault}</label>
<select id="vault" name="vault">
${options}<option value="new">${t.newVault(newVault)}</option>
</select>
</div>
<div class="buttons">
<button name="step" value="deny">${common.refuse}</button>
<button class="main" name="step" value="allow">${t.link}</button>
</div>
<p class="soft">${common.signedInAs(email)}</p>
</form>`,
  };
}

export function linkedPage(language: PageLanguage, linked: boolean): Page {
  const t = linkTexts[language];
  return linked
    ? { language, title: t.linked, body: html`<h1>${t.linked}</h1><p>${t.linkedAbout}</p>` }
    : { language, title: t.refused, body: html`<h1>${t.refused}</h1><p>${t.refusedAbout}</p>` };
}
