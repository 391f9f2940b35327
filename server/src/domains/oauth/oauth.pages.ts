import { Html, html, type Page } from '../../http/pages/pages.ts';
import type { ConsentRequest } from './oauth.ts';

const PERMISSIONS = { none: 'No access', read: 'Read only', write: 'Read and write' } as const;

/** The page for signing in before the decision. */
export function signInPage({ client, formToken }: ConsentRequest, fault: string | null, email: string): Page {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in to let ${nameOf(client)} in</h1>
${faultOf(fault)}
<form method="post">
<input type="hidden" name="token" value="${formToken}">
<input type="hidden" name="step" value="sign-in">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div class="buttons">
<button name="step" value="deny" formnovalidate>Cancel</button>
<button class="main">Sign in</button>
</div>
</form>`,
    formTargets: formTargets(client.redirectUri),
  };
}

/** The page for choosing vaults and levels. */
export function consentPage(options: ConsentRequest, fault: string | null): Page {
  const { client, formToken, vaults, account, top } = options;
  const permissions = top === 'write' ? (['none', 'read', 'write'] as const) : (['none', 'read'] as const);
  const select = (name: string, id: string, chosen: string) => html`<select id="${id}" name="${name}">
${permissions.map((permission) => html`<option value="${permission}"${new Html(permission === chosen ? ' selected' : '')}>${PERMISSIONS[permission]}</option>`)}
</select>`;
  const rows = vaults.map(
    ({ id, name, isDefault }, index) => html`<div class="row">
<label for="vault-${index}">${name}</label>
${select(`vault:${id}`, `vault-${index}`, isDefault ? top : 'none')}
</div>
`,
  );
  return {
    title: 'Let an application in',
    body: html`<h1>${nameOf(client)} wants to use your vaults</h1>
${faultOf(fault)}
<dl>
<dt>Who is asking</dt>
<dd>${whoOf(client)}</dd>
<dt>You will be sent to</dt>
<dd><code>${client.redirectUri}</code></dd>
<dt>It asks to</dt>
<dd>${top === 'write' ? 'read and change notes in the vaults you choose' : 'read notes in the vaults you choose'}</dd>
</dl>
<form method="post">
<input type="hidden" name="token" value="${formToken}">
<fieldset>
<legend>What it may do in each vault</legend>
${rows}<div class="row">
<label for="elsewhere">Vaults that you make later</label>
${select('elsewhere', 'elsewhere', vaults.length === 0 ? top : 'none')}
</div>
</fieldset>
<p class="soft">You can take this back at any time under your connections.</p>
<div class="buttons">
<button name="step" value="deny">Refuse</button>
<button class="main" name="step" value="allow">Allow</button>
</div>
<p class="soft">Signed in as ${account?.email ?? ''}. <button class="link" name="step" value="sign-out">Somebody else?</button></p>
</form>`,
    formTargets: formTargets(client.redirectUri),
  };
}

type Client = ConsentRequest['client'];

function nameOf({ name, redirectUri }: Client): string {
  return name ?? hostOf(redirectUri);
}

/** Shown before anything that the application says about itself. */
function whoOf({ verified, redirectUri }: Client): Html {
  const host = hostOf(redirectUri);
  if (verified) return html`<strong>${host}</strong>, verified`;
  const where =
    URL.parse(redirectUri)?.protocol === 'https:'
      ? html`The site <strong>${host}</strong>`
      : html`A program on your device`;
  return html`${where}, <strong class="bad">not verified</strong>: any application can take this name. Go on only if you have just begun this yourself.`;
}

function hostOf(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  return url === null || url.host === '' ? (url?.protocol ?? 'An application') : url.host;
}

function faultOf(fault: string | null): Html {
  return fault === null ? html`` : html`<p class="bad" role="alert">${fault}</p>`;
}

/** CSP has no IPv6 addresses, and allows programs only by their scheme. */
function formTargets(redirectUri: string): string[] {
  const url = URL.parse(redirectUri);
  if (url === null || !/^[a-z][a-z0-9+.-]*:$/.test(url.protocol)) return [];
  const isHost = /^https?:$/.test(url.protocol) && /^[a-z0-9.-]+(:\d+)?$/.test(url.host);
  return [isHost ? url.origin : url.protocol];
}
