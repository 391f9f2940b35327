import type { PageLanguage } from './page-language.ts';

const english = {
  email: 'E-mail',
  password: 'Password',
  signIn: 'Sign in',
  signInBy: (provider: string) => `Sign in with ${provider}`,
  passkey: 'Use a passkey',
  goOn: 'Continue',
  secondFactor: 'Code',
  secondFactorAbout: 'The six digits that your authenticator app shows, or a recovery code.',
  cancel: 'Cancel',
  refuse: 'Deny',
  signedInAs: (email: string) => `Signed in as ${email}.`,
  failed: 'This did not work',
  unknown: 'The application sent a request that this server cannot answer.',
  beginAgain: 'Go back to the application and start again.',
  /** Explanations and remedies, by codes of the error catalogue. */
  faults: {
    account_suspended: 'This account is suspended. Ask the server’s admin.',
    authorization_over:
      'This request was already answered, has expired, or was started in another browser. Start again in the application.',
    device_code_not_found:
      'The code is wrong, was used before, is over five minutes old, or belongs to another account. After ten wrong codes, every code is refused for an hour.',
    device_vault_not_owned: 'This vault does not exist, or it is not yours.',
    email_and_password_required: 'Enter your e-mail and your password.',
    invalid_code: 'This code is wrong, or was used before. Wait for the next one.',
    invalid_ticket: 'This sign-in took too long or had too many wrong codes. Sign in again.',
    foreign_form: 'The form was not sent from a page of this server.',
    invalid_credentials: 'E-mail or password is wrong.',
    password_login_off: 'This account cannot sign in with a password.',
    oauth_unavailable: 'The server is busy or cannot reach its storage. Try again.',
    rate_limited: 'Too many attempts. Wait a minute, then try again.',
    sign_in_again: 'The password or the access of this account was changed since you signed in. Sign in again.',
    validation: 'Choose at least one vault that it may use.',
  },
};

export type PageTexts = typeof english;

const german: PageTexts = {
  email: 'E-Mail',
  password: 'Passwort',
  signIn: 'Anmelden',
  signInBy: (provider) => `Mit ${provider} anmelden`,
  passkey: 'Passkey verwenden',
  goOn: 'Weiter',
  secondFactor: 'Code',
  secondFactorAbout: 'Die sechs Ziffern, die deine Authenticator-App zeigt, oder ein Wiederherstellungscode.',
  cancel: 'Abbrechen',
  refuse: 'Ablehnen',
  signedInAs: (email) => `Angemeldet als ${email}.`,
  failed: 'Das hat nicht geklappt',
  unknown: 'Die Anwendung hat eine Anfrage gesendet, die dieser Server nicht beantworten kann.',
  beginAgain: 'Geh zurück zur Anwendung und beginne noch einmal.',
  faults: {
    account_suspended: 'Dieses Konto ist gesperrt. Frag den, der diesen Server verwaltet.',
    authorization_over:
      'Über diese Anfrage ist schon entschieden, sie ist zu alt, oder sie begann in einem anderen Browser. Beginne in der Anwendung noch einmal.',
    device_code_not_found:
      'Der Code ist falsch, verbraucht, älter als fünf Minuten oder von einem anderen Konto. Nach zehn falschen Codes gilt eine Stunde lang jeder als falsch.',
    device_vault_not_owned: 'Diesen Tresor gibt es nicht, oder er gehört dir nicht.',
    email_and_password_required: 'Gib E-Mail und Passwort ein.',
    invalid_code: 'Dieser Code ist falsch oder wurde schon verwendet. Warte auf den nächsten.',
    invalid_ticket: 'Diese Anmeldung dauerte zu lange oder hatte zu viele falsche Codes. Melde dich noch einmal an.',
    foreign_form: 'Das Formular kam nicht von einer Seite dieses Servers.',
    invalid_credentials: 'E-Mail oder Passwort stimmt nicht.',
    password_login_off: 'Dieses Konto meldet sich anders als mit einem Passwort an.',
    oauth_unavailable: 'Der Server ist überlastet oder erreicht seinen Speicher nicht. Versuch es noch einmal.',
    rate_limited: 'Zu viele Versuche. Warte eine Minute und versuch es dann noch einmal.',
    sign_in_again:
      'Das Passwort oder der Zugriff dieses Kontos wurde geändert, seit du dich angemeldet hast. Melde dich noch einmal an.',
    validation: 'Wähle mindestens einen Tresor, den sie verwenden darf.',
  },
};

const japanese: PageTexts = {
  email: 'メールアドレス',
  password: 'パスワード',
  signIn: 'サインイン',
  signInBy: (provider) => `${provider} でサインイン`,
  passkey: 'パスキーを使う',
  goOn: '続ける',
  secondFactor: 'コード',
  secondFactorAbout: '認証アプリに表示されている6桁の数字、またはリカバリーコード。',
  cancel: 'キャンセル',
  refuse: '拒否',
  signedInAs: (email) => `${email} としてサインインしています。`,
  failed: 'うまくいきませんでした',
  unknown: 'アプリが、このサーバーでは応答できない要求を送りました。',
  beginAgain: 'アプリに戻って、最初からやり直してください。',
  faults: {
    account_suspended: 'このアカウントは停止されています。サーバーの管理者に問い合わせてください。',
    authorization_over:
      'この要求はすでに決定済みか、期限切れか、別のブラウザーで開始されたものです。アプリで最初からやり直してください。',
    device_code_not_found:
      'コードが間違っているか、使用済みか、5分以上前のものか、別のアカウントのものです。10回間違えると、1時間はどのコードも使えません。',
    device_vault_not_owned: 'この保管庫は存在しないか、あなたのものではありません。',
    email_and_password_required: 'メールアドレスとパスワードを入力してください。',
    invalid_code: 'コードが間違っているか、すでに使われています。次のコードを待ってください。',
    invalid_ticket: 'サインインに時間がかかりすぎたか、間違ったコードが多すぎました。もう一度サインインしてください。',
    foreign_form: 'このフォームは、このサーバーのページから送られたものではありません。',
    invalid_credentials: 'メールアドレスまたはパスワードが違います。',
    password_login_off: 'このアカウントはパスワード以外の方法でサインインします。',
    oauth_unavailable: 'サーバーが混み合っているか、保存先に接続できません。もう一度お試しください。',
    rate_limited: '試行回数が多すぎます。1分待ってから、もう一度お試しください。',
    sign_in_again:
      'サインインした後に、このアカウントのパスワードまたはアクセス権が変更されました。もう一度サインインしてください。',
    validation: '使用を許可する保管庫を1つ以上選んでください。',
  },
};

export const pageTexts: Readonly<Record<PageLanguage, PageTexts>> = { en: english, de: german, ja: japanese };

/** Explains an error; undefined for those that people cannot act on. */
export function faultText(language: PageLanguage, code: string): string | undefined {
  const faults: Readonly<Record<string, string>> = pageTexts[language].faults;
  return Object.hasOwn(faults, code) ? faults[code] : undefined;
}
