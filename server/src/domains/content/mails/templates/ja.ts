import type { MailTexts } from './kinds.ts';

export const ja: MailTexts = {
  confirm: {
    subject: '{host} のメールアドレスの確認',
    paragraphs: [
      '{host} の Notevault のアカウントに、このメールアドレスが登録されています。ご本人の場合は確認してください。',
    ],
    button: 'アドレスを確認する',
    after: ['リンクは1日以内に1回だけ使えます。お心当たりがない場合は、このメールを無視してください。'],
  },
  reset: {
    subject: '{host} の新しいパスワード',
    paragraphs: [
      '{host} の Notevault のアカウントについて、新しいパスワードの設定が求められました。ご本人の場合は設定してください。',
    ],
    button: 'パスワードを設定する',
    after: [
      'リンクは1時間以内に1回だけ使えます。お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',
    ],
  },
  invitation: {
    subject: '{host} の Notevault への招待',
    paragraphs: ['{by} さんが {host} の Notevault にあなたを招待しています。'],
    button: '招待を見る',
    after: ['お心当たりがない場合は、このメールを無視してください。'],
  },
  sign_in: {
    subject: '{host} への新しいサインイン',
    paragraphs: [
      '{host} の Notevault のあなたのアカウントに、過去90日間使われていないネットワークからサインインがありました。',
      '日時：{at}。アドレス：{address}。プログラム：{program}。',
    ],
    button: 'Notevault を開く',
    after: ['お心当たりがない場合は、設定の「セッション」でそのセッションを終了し、パスワードを変更してください。'],
  },
  passkey_copied: {
    subject: '{host} のパスキーが複製された可能性があります',
    paragraphs: [
      '{host} の Notevault のあなたのアカウントのパスキー「{name}」が使われましたが、カウンターが前回より戻っていました。複製された可能性があるため、この使用は拒否されました。',
      '日時：{at}。',
    ],
    button: 'Notevault を開く',
    after: ['別の方法でサインインし、設定でこのパスキーを削除して、新しく追加してください。'],
  },
  test: {
    subject: '{host} の Notevault のテストメール',
    paragraphs: [
      'このメールは「notevault admin test-mail」で送られました。{host} の Notevault はメールを送信できます。',
    ],
  },
};
