import { codeFields } from '../../../http/pages/code-fields.pages.ts';
import type { PageLanguage } from '../../../http/pages/page-language.ts';
import { pageTexts } from '../../../http/pages/page-texts.ts';
import { faultOf, Html, html, type Page } from '../../../http/pages/pages.ts';
import { otherWays, passwordFields, type SignInWays } from '../../../http/pages/sign-in-ways.pages.ts';
import type { DeviceConsentRequest } from './devices.ts';
import { linkPath } from './link-page.ts';

/** The page for typing the code that a device shows. @param fault an explained error; null for none. */
export function typeCodePage(language: PageLanguage, code: string, fault: string | null): Page {
  const t = linkTexts[language];
  return {
    language,
    title: t.title,
    body: html`<h1>${t.title}</h1>
<p>${t.about}</p>
${faultOf(fault)}
<form method="get" action="link">
<label for="code">${t.code}</label>
<input id="code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus value="${code}">
<div class="buttons">
<button class="main">${pageTexts[language].goOn}</button>
</div>
</form>`,
  };
}

/** The page for signing in to link the device that shows a code. @param fault an explained error; null for none. */
export function linkPage(
  language: PageLanguage,
  { code, email }: { code: string; email: string },
  fault: string | null,
  ways: SignInWays,
): Page {
  const [t, common] = [linkTexts[language], pageTexts[language]];
  return {
    language,
    title: t.title,
    body: html`<h1>${t.title}</h1>
<p>${t.check(code)}</p>
${faultOf(fault)}
${
  ways.hasPassword
    ? html`<form method="post" action="link">
<input type="hidden" name="code" value="${code}">
${passwordFields(language, email)}
<div class="buttons">
<button class="main" name="step" value="sign-in">${common.goOn}</button>
</div>
</form>`
    : null
}
${otherWays(language, ways, linkPath(code))}`,
  };
}

/** The page for the second factor of a sign-in. @param fault an explained error; null for none. */
export function linkCodePage(
  language: PageLanguage,
  { code, ticket }: { code: string; ticket: string },
  fault: string | null,
): Page {
  const [t, common] = [linkTexts[language], pageTexts[language]];
  return {
    language,
    title: t.title,
    body: html`<h1>${t.title}</h1>
${faultOf(fault)}
<form method="post" action="link">
<input type="hidden" name="code" value="${code}">
${codeFields(language, ticket)}
<div class="buttons">
<button class="main" name="step" value="code">${common.goOn}</button>
</div>
</form>`,
  };
}

export function linkChoicePage(
  language: PageLanguage,
  { token, code, email, device, newVault, vaults }: DeviceConsentRequest,
): Page {
  const [t, common] = [linkTexts[language], pageTexts[language]];
  const options = vaults.map(
    ({ id, name, isDefault, shared }) =>
      html`<option value="${id}"${new Html(isDefault ? ' selected' : '')}>${shared === null ? name : t.shared(name, shared)}</option>
`,
  );
  return {
    language,
    title: t.title,
    body: html`<h1>${t.question(device)}</h1>
<p>${t.access}</p>
<p>${t.check(code)}</p>
<form method="post" action="link">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="code" value="${code}">
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

type VaultSharing = NonNullable<DeviceConsentRequest['vaults'][number]['shared']>;

const english = {
  title: 'Link a device',
  about: 'Type the code that your device shows. Never type a code that somebody sent you.',
  check: (code: string) =>
    html`Your device must show the code <code>${code}</code>. If somebody sent you the code, close this page.`,
  code: 'Code',
  question: (device: string | null) => `Link ${device ?? 'this device'}?`,
  access: 'It can read and change notes in the vault you choose, until you disconnect it under “Connections”.',
  vault: 'Vault',
  newVault: (name: string) => `New vault: ${name}`,
  shared: (name: string, { by, isReadOnly }: VaultSharing) =>
    `${name} (shared ${by === null ? 'with you' : `by ${by}`}, to ${isReadOnly ? 'read' : 'edit'})`,
  link: 'Link',
  linked: 'Linked',
  linkedAbout: 'Go back to your device. It continues by itself.',
  refused: 'Denied',
  refusedAbout: 'The device gets no access. You can close this page.',
};

type LinkTexts = typeof english;

const german: LinkTexts = {
  title: 'Ein Gerät verbinden',
  about: 'Gib den Code ein, den dein Gerät zeigt. Gib nie einen Code ein, den dir jemand geschickt hat.',
  check: (code) =>
    html`Dein Gerät muss den Code <code>${code}</code> zeigen. Hat dir jemand den Code geschickt, schließ diese Seite.`,
  code: 'Code',
  question: (device) => `${device ?? 'Dieses Gerät'} verbinden?`,
  access:
    'Es wird in dem einen Tresor, den du wählst, Notizen lesen und ändern, bis du es unter deinen Verbindungen beendest.',
  vault: 'Tresor',
  newVault: (name) => `Ein neuer: ${name}`,
  shared: (name, { by, isReadOnly }) =>
    `${name} (${by === null ? 'mit dir geteilt' : `geteilt von ${by}`}, zum ${isReadOnly ? 'Lesen' : 'Bearbeiten'})`,
  link: 'Verbinden',
  linked: 'Verbunden',
  linkedAbout: 'Geh zurück zu deinem Gerät: Es macht von selbst weiter.',
  refused: 'Abgelehnt',
  refusedAbout: 'Das Gerät bekommt nichts. Du kannst diese Seite schließen.',
};

const japanese: LinkTexts = {
  title: '端末をリンク',
  about: '端末に表示されているコードを入力してください。人から送られてきたコードは決して入力しないでください。',
  check: (code) =>
    html`端末にコード <code>${code}</code> が表示されていることを確認してください。人から送られてきたコードの場合は、このページを閉じてください。`,
  code: 'コード',
  question: (device) => `${device ?? 'この端末'} をリンクしますか?`,
  access: '選んだ1つの保管庫のノートを閲覧・変更できるようになります。「接続」でいつでも終了できます。',
  vault: '保管庫',
  newVault: (name) => `新しい保管庫: ${name}`,
  shared: (name, { by, isReadOnly }) =>
    `${name}(${by === null ? '' : `${by} さんからの`}共有、${isReadOnly ? '閲覧のみ' : '編集可'})`,
  link: 'リンク',
  linked: 'リンクしました',
  linkedAbout: '端末に戻ってください。自動的に続行されます。',
  refused: '拒否しました',
  refusedAbout: '端末には何も渡されません。このページは閉じてかまいません。',
};

const linkTexts: Readonly<Record<PageLanguage, LinkTexts>> = { en: english, de: german, ja: japanese };
