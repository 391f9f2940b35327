import { codeFields } from '../../../http/pages/code-fields.pages.ts';
import type { PageLanguage } from '../../../http/pages/page-language.ts';
import { pageTexts } from '../../../http/pages/page-texts.ts';
import { faultOf, Html, html, type Page } from '../../../http/pages/pages.ts';
import { otherWays, passwordFields, type SignInWays } from '../../../http/pages/sign-in-ways.pages.ts';
import type { ConsentRequest } from './oauth.ts';

/** The page for signing in before the decision. @param fault an explained error; null for none. */
export function signInPage(
  language: PageLanguage,
  { client, formToken, page }: ConsentRequest,
  fault: string | null,
  email: string,
  ways: SignInWays,
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
${ways.hasPassword ? passwordFields(language, email) : null}
<div class="buttons">
<button name="step" value="deny" form="refusal">${common.cancel}</button>
${ways.hasPassword ? html`<button class="main">${common.signIn}</button>` : null}
</div>
</form>
${refusalForm(formToken)}
${otherWays(language, ways, page)}`,
    formTargets: formTargets(client.redirectUri),
  };
}

/** The form of the button that refuses. In the form of the fields, Enter would press that button, which comes first. */
function refusalForm(formToken: string): Html {
  return html`<form id="refusal" method="post"><input type="hidden" name="token" value="${formToken}"></form>`;
}

/** The page for the second factor of a sign-in. @param fault an explained error; null for none. */
export function codePage(
  language: PageLanguage,
  { client, formToken }: ConsentRequest,
  ticket: string,
  fault: string | null,
): Page {
  const [t, common] = [consentTexts[language], pageTexts[language]];
  return {
    language,
    title: common.signIn,
    body: html`<h1>${t.signInTitle(nameOf(client, t))}</h1>
${faultOf(fault)}
<form method="post">
<input type="hidden" name="token" value="${formToken}">
<input type="hidden" name="step" value="code">
${codeFields(language, ticket)}
<div class="buttons">
<button name="step" value="deny" form="refusal">${common.cancel}</button>
<button class="main">${common.signIn}</button>
</div>
</form>
${refusalForm(formToken)}`,
    formTargets: formTargets(client.redirectUri),
  };
}

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

const english = {
  signInTitle: (client: string) => `Sign in to give ${client} access`,
  title: 'Give an application access',
  wants: (client: string) => `${client} wants to use your vaults`,
  who: 'Who is asking',
  where: 'You will be sent to',
  what: 'It asks to',
  write: 'read and change notes in the vaults you choose',
  read: 'read notes in the vaults you choose',
  permissions: { none: 'No access', read: 'Read only', write: 'Read and write' },
  inEach: 'What it may do in each vault',
  later: 'Future vaults',
  revocable: 'You can revoke this at any time under “Connections”.',
  allow: 'Allow',
  someoneElse: 'Not you?',
  application: 'An application',
  verified: (host: string): Html => html`<strong>${host}</strong>, verified`,
  unverifiedSite: (host: string): Html =>
    html`The site <strong>${host}</strong>, <strong class="bad">not verified</strong>: any application can take this name. Continue only if you started this yourself just now.`,
  unverifiedProgram: html`A program on your device, <strong class="bad">not verified</strong>: any application can take this name. Continue only if you started this yourself just now.`,
};

type ConsentTexts = typeof english;

const german: ConsentTexts = {
  signInTitle: (client) => `Melde dich an, um ${client} Zugriff zu geben`,
  title: 'Einer Anwendung Zugriff geben',
  wants: (client) => `${client} möchte deine Tresore verwenden`,
  who: 'Wer fragt',
  where: 'Du wirst weitergeleitet zu',
  what: 'Sie möchte',
  write: 'Notizen in den Tresoren, die du wählst, lesen und ändern',
  read: 'Notizen in den Tresoren, die du wählst, lesen',
  permissions: { none: 'Kein Zugriff', read: 'Nur lesen', write: 'Lesen und schreiben' },
  inEach: 'Was sie in jedem Tresor darf',
  later: 'Tresore, die du später anlegst',
  revocable: 'Du kannst das jederzeit unter deinen Verbindungen zurücknehmen.',
  allow: 'Erlauben',
  someoneElse: 'Jemand anderes?',
  application: 'Eine Anwendung',
  verified: (host) => html`<strong>${host}</strong>, geprüft`,
  unverifiedSite: (host) =>
    html`Die Website <strong>${host}</strong>, <strong class="bad">nicht geprüft</strong>: Jede Anwendung kann sich so nennen. Fahre nur fort, wenn du das eben selbst begonnen hast.`,
  unverifiedProgram: html`Ein Programm auf deinem Gerät, <strong class="bad">nicht geprüft</strong>: Jede Anwendung kann sich so nennen. Fahre nur fort, wenn du das eben selbst begonnen hast.`,
};

const japanese: ConsentTexts = {
  signInTitle: (client) => `${client} にアクセスを許可するにはサインインしてください`,
  title: 'アプリにアクセスを許可',
  wants: (client) => `${client} が保管庫の使用を求めています`,
  who: '要求元',
  where: '移動先',
  what: '求めている操作',
  write: '選んだ保管庫のノートの閲覧と変更',
  read: '選んだ保管庫のノートの閲覧',
  permissions: { none: 'アクセスなし', read: '閲覧のみ', write: '閲覧と変更' },
  inEach: '保管庫ごとに許可する操作',
  later: '今後作成する保管庫',
  revocable: '許可は「接続」からいつでも取り消せます。',
  allow: '許可',
  someoneElse: '別の人ですか?',
  application: 'アプリ',
  verified: (host) => html`<strong>${host}</strong>(確認済み)`,
  unverifiedSite: (host) =>
    html`サイト <strong>${host}</strong>(<strong class="bad">未確認</strong>)。この名前はどのアプリでも名乗れます。ご自身が今始めた操作である場合のみ続けてください。`,
  unverifiedProgram: html`この端末のプログラム(<strong class="bad">未確認</strong>)。この名前はどのアプリでも名乗れます。ご自身が今始めた操作である場合のみ続けてください。`,
};

const consentTexts: Readonly<Record<PageLanguage, ConsentTexts>> = { en: english, de: german, ja: japanese };
