import type { PageLanguage } from '../../../../http/pages/page-language.ts';
import { faultText, pageTexts } from '../../../../http/pages/page-texts.ts';
import { html, type Page } from '../../../../http/pages/pages.ts';
import type { OidcFault } from './faults.ts';

/** The facts of a failed sign-in that its page names. */
export interface Failure {
  readonly fault: OidcFault;
  /** The error code of the provider or of a check. */
  readonly detail: string | null;
  readonly providerName: string;
  /** The address of the app. */
  readonly home: string;
  readonly redirectUri: string;
}

/** Says why a sign-in by the provider failed, what the person can do, and what the operator should check. */
export function failurePage(language: PageLanguage, { fault, detail, providerName, home, redirectUri }: Failure): Page {
  const t = texts[language];
  const check = checkOf(t, fault, redirectUri);
  return {
    language,
    title: pageTexts[language].failed,
    body: html`<h1>${pageTexts[language].failed}</h1>
<p>${faultText(language, fault) ?? t.faults[fault as keyof Texts['faults']](providerName)}</p>
${check === null ? null : html`<p class="soft">${t.operator} ${check}</p>`}
<p class="soft">${t.code} <code>${detail ?? fault}</code></p>
<p><a href="${home}">${t.back}</a></p>`,
  };
}

function checkOf(t: Texts, fault: OidcFault, redirectUri: string): string | null {
  if (fault === 'unreachable') return t.checks.unreachable;
  if (fault === 'client') return t.checks.client(redirectUri);
  if (fault === 'invalid') return t.checks.invalid;
  if (fault === 'refused') return t.checks.refused(redirectUri);
  if (fault === 'no_email') return t.checks.noEmail;
  return fault === 'not_fresh' ? t.checks.notFresh : null;
}

const english = {
  back: 'Back to Notevault',
  code: 'Code of the error:',
  operator: 'If you run this server:',
  checks: {
    unreachable:
      'NOTEVAULT_OIDC_ISSUER must be exactly the issuer that the metadata of the provider names, and the server must reach it; notevault doctor tries that.',
    client: (redirectUri: string) =>
      `check NOTEVAULT_OIDC_CLIENT_ID and NOTEVAULT_OIDC_CLIENT_SECRET, and that the provider allows the redirect address ${redirectUri}.`,
    invalid:
      'check NOTEVAULT_OIDC_ISSUER and NOTEVAULT_OIDC_CLIENT_ID, that the provider signs tokens with a key pair (RS256 or ES256), and the clocks of both servers.',
    refused: (redirectUri: string) =>
      `check at the provider who may use this application, NOTEVAULT_OIDC_SCOPES, and that it allows the redirect address ${redirectUri}.`,
    noEmail: 'add the scope email to NOTEVAULT_OIDC_SCOPES, and let the provider send that claim.',
    notFresh: 'the provider must honour max_age and send auth_time.',
  },
  faults: {
    unreachable: (name: string) => `${name} does not answer as it should. Try again later.`,
    client: (name: string) => `${name} does not accept this server. Ask the server’s admin.`,
    code: (name: string) =>
      `${name} no longer knows this sign-in: it was used already, or took too long. Sign in again.`,
    refused: (name: string) => `${name} refused the sign-in, or you cancelled it.`,
    invalid: (name: string) =>
      `The answer of ${name} cannot be trusted, so nobody was signed in. Ask the server’s admin.`,
    no_account: (name: string) =>
      `No account here is linked to you at ${name}. If you have one with a password, sign in and link ${name} in the settings. Otherwise ask the server’s admin for one.`,
    no_email: (name: string) => `${name} did not send your e-mail address.`,
    unverified: (name: string) =>
      `An account has your e-mail address, but ${name} does not say that it has verified this address (some providers never do). Sign in to the account another way, then link ${name} in the settings.`,
    unconfirmed: (name: string) =>
      `An account has your e-mail address, but the address was never confirmed. Sign in to the account another way, then confirm the address or link ${name} in the settings.`,
    joined_already: (name: string) =>
      `The account with your e-mail address is linked to somebody else at ${name}. Sign in to it another way, then link ${name} in the settings.`,
    taken: (name: string) => `You at ${name} are already linked to another account.`,
    other_person: (name: string) => `The account is linked to another person at ${name}.`,
    not_fresh: (name: string) =>
      `${name} did not ask you to sign in again. Confirm another way, such as with your password.`,
    first_account_missing: () =>
      'This server has no account yet. Create the first one with the link that the server prints when it starts.',
    registration_failed: () => 'The account could not be created. Start again.',
    sign_in_over: () => 'The sign-in took too long, or was started in another browser or tab. Start again.',
  },
};

type Texts = typeof english;

const german: Texts = {
  back: 'Zurück zu Notevault',
  code: 'Code des Fehlers:',
  operator: 'Wenn du diesen Server betreibst:',
  checks: {
    unreachable:
      'NOTEVAULT_OIDC_ISSUER muss genau der Aussteller sein, den die Metadaten des Anmeldedienstes nennen, und der Server muss ihn erreichen; notevault doctor prüft das.',
    client: (redirectUri) =>
      `Prüfe NOTEVAULT_OIDC_CLIENT_ID und NOTEVAULT_OIDC_CLIENT_SECRET, und ob der Dienst die Rückadresse ${redirectUri} erlaubt.`,
    invalid:
      'Prüfe NOTEVAULT_OIDC_ISSUER und NOTEVAULT_OIDC_CLIENT_ID, ob der Dienst Tokens mit einem Schlüsselpaar signiert (RS256 oder ES256), und die Uhren beider Server.',
    refused: (redirectUri) =>
      `Prüfe beim Dienst, wer diese Anwendung verwenden darf, NOTEVAULT_OIDC_SCOPES, und ob er die Rückadresse ${redirectUri} erlaubt.`,
    noEmail: 'Nimm den Scope email in NOTEVAULT_OIDC_SCOPES auf, und lass den Dienst diese Angabe senden.',
    notFresh: 'Der Dienst muss max_age beachten und auth_time senden.',
  },
  faults: {
    unreachable: (name) => `${name} antwortet nicht wie erwartet. Versuch es später noch einmal.`,
    client: (name) => `${name} nimmt diesen Server nicht an. Frag den, der ihn betreibt.`,
    code: (name) =>
      `${name} kennt diese Anmeldung nicht mehr: Sie wurde schon verwendet oder dauerte zu lange. Melde dich noch einmal an.`,
    refused: (name) => `${name} hat die Anmeldung abgelehnt, oder du hast sie abgebrochen.`,
    invalid: (name) =>
      `Der Antwort von ${name} ist nicht zu trauen, darum wurde niemand angemeldet. Frag den, der diesen Server betreibt.`,
    no_account: (name) =>
      `Du hast hier kein Konto, das zu ${name} gehört. Hast du eines mit Passwort, melde dich an und verbinde es in den Einstellungen mit ${name}; sonst frag den, der diesen Server betreibt.`,
    no_email: (name) => `${name} nennt deine E-Mail-Adresse nicht.`,
    unverified: (name) =>
      `Es gibt ein Konto mit deiner E-Mail-Adresse, und ${name} sagt nicht, dass die Adresse dort geprüft ist (manche Dienste sagen das nie). Melde dich anders an und verbinde das Konto in den Einstellungen mit ${name}.`,
    unconfirmed: (name) =>
      `Es gibt ein Konto mit deiner E-Mail-Adresse, die dort nie bestätigt wurde. Melde dich anders an, und bestätige die Adresse oder verbinde das Konto in den Einstellungen mit ${name}.`,
    joined_already: (name) =>
      `Das Konto mit deiner E-Mail-Adresse gehört schon zu jemand anderem bei ${name}. Melde dich anders an und verbinde es in den Einstellungen mit ${name}.`,
    taken: (name) => `Diese Person bei ${name} gehört schon zu einem anderen Konto.`,
    other_person: (name) => `Das ist nicht die Person bei ${name}, zu der das Konto gehört.`,
    not_fresh: (name) =>
      `${name} hat nicht noch einmal gefragt, wer du bist. Weise es anders nach, etwa mit deinem Passwort.`,
    first_account_missing: () =>
      'Dieser Server hat noch kein Konto. Das erste entsteht mit dem Link, den der Server beim Start zeigt.',
    registration_failed: () => 'Das Konto konnte nicht angelegt werden. Beginne noch einmal.',
    sign_in_over: () =>
      'Die Anmeldung dauerte zu lange oder begann in einem anderen Browser oder Tab. Beginne noch einmal.',
  },
};

const japanese: Texts = {
  back: 'Notevault に戻る',
  code: 'エラーコード:',
  operator: 'サーバーの運用者の方へ:',
  checks: {
    unreachable:
      'NOTEVAULT_OIDC_ISSUER はプロバイダーのメタデータにある issuer と完全に一致し、サーバーから接続できる必要があります。notevault doctor で確認できます。',
    client: (redirectUri) =>
      `NOTEVAULT_OIDC_CLIENT_ID と NOTEVAULT_OIDC_CLIENT_SECRET、およびプロバイダーがリダイレクト先 ${redirectUri} を許可しているかを確認してください。`,
    invalid:
      'NOTEVAULT_OIDC_ISSUER と NOTEVAULT_OIDC_CLIENT_ID、トークンが鍵ペア (RS256 または ES256) で署名されているか、両サーバーの時計を確認してください。',
    refused: (redirectUri) =>
      `このアプリを使える人、NOTEVAULT_OIDC_SCOPES、リダイレクト先 ${redirectUri} の許可をプロバイダーで確認してください。`,
    noEmail: 'NOTEVAULT_OIDC_SCOPES に email を加え、プロバイダーがその情報を送るように設定してください。',
    notFresh: 'プロバイダーが max_age に従い、auth_time を送る必要があります。',
  },
  faults: {
    unreachable: (name) => `${name} が正しく応答しません。後でもう一度お試しください。`,
    client: (name) => `${name} がこのサーバーを受け付けません。運用者に問い合わせてください。`,
    code: (name) =>
      `${name} でのサインインはすでに使用済みか、時間がかかりすぎました。もう一度サインインしてください。`,
    refused: (name) => `${name} がサインインを拒否したか、キャンセルされました。`,
    invalid: (name) => `${name} の応答を信頼できないため、サインインしませんでした。運用者に問い合わせてください。`,
    no_account: (name) =>
      `${name} に対応するアカウントがありません。パスワードのアカウントをお持ちの場合は、サインインして設定で ${name} と連携してください。お持ちでない場合は運用者に問い合わせてください。`,
    no_email: (name) => `${name} からメールアドレスが届きませんでした。`,
    unverified: (name) =>
      `このメールアドレスのアカウントはありますが、${name} がアドレスを確認済みと伝えていません(常にそうするプロバイダーもあります)。別の方法でサインインし、設定で ${name} と連携してください。`,
    unconfirmed: (name) =>
      `このメールアドレスのアカウントはありますが、アドレスが未確認です。別の方法でサインインし、アドレスを確認するか、設定で ${name} と連携してください。`,
    joined_already: (name) =>
      `このメールアドレスのアカウントは、すでに ${name} の別の人と連携しています。別の方法でサインインし、設定で ${name} と連携してください。`,
    taken: (name) => `${name} のこの人は、すでに別のアカウントと連携しています。`,
    other_person: (name) => `このアカウントと連携している ${name} の人ではありません。`,
    not_fresh: (name) => `${name} が本人確認をやり直しませんでした。パスワードなど別の方法で確認してください。`,
    first_account_missing: () =>
      'このサーバーにはまだアカウントがありません。最初のアカウントは、サーバーの起動時に表示されるリンクから作成します。',
    registration_failed: () => 'アカウントを作成できませんでした。最初からやり直してください。',
    sign_in_over: () =>
      'サインインに時間がかかりすぎたか、別のブラウザーやタブで開始されました。最初からやり直してください。',
  },
};

const texts: Readonly<Record<PageLanguage, Texts>> = { en: english, de: german, ja: japanese };
