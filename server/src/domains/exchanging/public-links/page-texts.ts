const english = {
  gone: 'This page does not exist',
  goneText: 'The address is wrong, or the page is no longer shared.',
  locked: 'This page has a password',
  password: 'Password',
  open: 'Open',
  wrong: 'The password is wrong.',
  later: 'Too many wrong passwords. Wait a minute, then try again.',
  again: 'The form was open for too long. Try again.',
  costly: 'This note cannot be shown',
  costlyText: 'It is too complex to be shown as a page.',
  more: (count: number) => `Only the first ${count.toLocaleString('en')} notes are listed.`,
};

export type PublicTexts = typeof english;

const german: PublicTexts = {
  gone: 'Diese Seite gibt es nicht',
  goneText: 'Die Adresse ist falsch, oder die Seite wird nicht mehr geteilt.',
  locked: 'Diese Seite hat ein Passwort',
  password: 'Passwort',
  open: 'Öffnen',
  wrong: 'Das Passwort ist falsch.',
  later: 'Zu viele falsche Passwörter. Warte eine Minute und versuch es noch einmal.',
  again: 'Das Formular war zu lange offen. Versuch es noch einmal.',
  costly: 'Diese Notiz kann nicht gezeigt werden',
  costlyText: 'Sie ist zu aufwendig, um als Seite gezeigt zu werden.',
  more: (count) => `Nur die ersten ${count.toLocaleString('de')} Notizen sind aufgeführt.`,
};

const japanese: PublicTexts = {
  gone: 'このページは存在しません',
  goneText: 'アドレスが間違っているか、ページの共有が終了しました。',
  locked: 'このページにはパスワードが必要です',
  password: 'パスワード',
  open: '開く',
  wrong: 'パスワードが違います。',
  later: 'パスワードの間違いが多すぎます。1分待ってから、もう一度お試しください。',
  again: 'フォームを開いてから時間が経ちすぎました。もう一度お試しください。',
  costly: 'このノートは表示できません',
  costlyText: '内容が複雑すぎるため、ページとして表示できません。',
  more: (count) => `最初の${count.toLocaleString('ja')}件のノートのみを表示しています。`,
};

export const publicTexts = { en: english, de: german, ja: japanese };

export type TextLanguage = keyof typeof publicTexts;
