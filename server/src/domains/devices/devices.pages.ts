import { Html, html, type Page } from '../../http/pages/pages.ts';
import type { DeviceConsentRequest } from './devices.ts';

/** The page for typing the code that a device shows. */
export function linkPage({ code, email }: { code: string; email: string }, fault: string | null): Page {
  return {
    title: 'Link a device',
    body: html`<h1>Link a device</h1>
<p>Type the code that your device shows, and sign in. Never type a code that somebody sent you.</p>
${fault === null ? html`` : html`<p class="bad" role="alert">${fault}</p>`}
<form method="post" action="/link">
<label for="code">Code</label>
<input id="code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required value="${code}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div class="buttons">
<button class="main" name="step" value="sign-in">Go on</button>
</div>
</form>`,
  };
}

/** The page for choosing the vault of a device. */
export function linkChoicePage(
  { token, email, device, newVault, vaults }: DeviceConsentRequest,
  fault: string | null,
): Page {
  const options = vaults.map(
    ({ id, name, isDefault }) =>
      html`<option value="${id}"${new Html(isDefault ? ' selected' : '')}>${name}</option>
`,
  );
  return {
    title: 'Link a device',
    body: html`<h1>Link ${device ?? 'this device'}?</h1>
${fault === null ? html`` : html`<p class="bad" role="alert">${fault}</p>`}
<p>It will read and change notes in the one vault you choose, until you end it under your connections.</p>
<form method="post" action="/link">
<input type="hidden" name="token" value="${token}">
<div class="row">
<label for="vault">Vault</label>
<select id="vault" name="vault">
${options}<option value="new">A new one: ${newVault}</option>
</select>
</div>
<div class="buttons">
<button name="step" value="deny">Refuse</button>
<button class="main" name="step" value="allow">Link</button>
</div>
<p class="soft">Signed in as ${email}.</p>
</form>`,
  };
}

export function linkedPage(linked: boolean): Page {
  return linked
    ? { title: 'Linked', body: html`<h1>Linked</h1><p>Go back to your device: it goes on by itself.</p>` }
    : { title: 'Refused', body: html`<h1>Refused</h1><p>The device gets nothing. You can close this page.</p>` };
}
