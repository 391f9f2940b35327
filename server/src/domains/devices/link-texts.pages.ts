import type { PageLanguage } from '../../http/pages/page-language.ts';

const english = {
  title: 'Link a device',
  about: 'Type the code that your device shows, and sign in. Never type a code that somebody sent you.',
  code: 'Code',
  goOn: 'Go on',
  question: (device: string | null) => `Link ${device ?? 'this device'}?`,
  access: 'It will read and change notes in the one vault you choose, until you end it under your connections.',
  vault: 'Vault',
  newVault: (name: string) => `A new one: ${name}`,
  link: 'Link',
  linked: 'Linked',
  linkedAbout: 'Go back to your device: it goes on by itself.',
  refused: 'Refused',
  refusedAbout: 'The device gets nothing. You can close this page.',
};

export type LinkTexts = typeof english;

const german: LinkTexts = {
  title: 'Ein Gerät verbinden',
  about:
    'Gib den Code ein, den dein Gerät zeigt, und melde dich an. Gib nie einen Code ein, den dir jemand geschickt hat.',
  code: 'Code',
  goOn: 'Weiter',
  question: (device) => `${device ?? 'Dieses Gerät'} verbinden?`,
  access:
    'Es wird in dem einen Tresor, den du wählst, Notizen lesen und ändern, bis du es unter deinen Verbindungen beendest.',
  vault: 'Tresor',
  newVault: (name) => `Ein neuer: ${name}`,
  link: 'Verbinden',
  linked: 'Verbunden',
  linkedAbout: 'Geh zurück zu deinem Gerät: Es macht von selbst weiter.',
  refused: 'Abgelehnt',
  refusedAbout: 'Das Gerät bekommt nichts. Du kannst diese Seite schließen.',
};

const japanese: LinkTexts = {
  title: '端末をリンク',
  about:
    '端末に表示されているコードを入力し、サインインしてください。人から送られてきたコードは決して入力しないでください。',
  code: 'コード',
  goOn: '続ける',
  question: (device) => `${device ?? 'この端末'} をリンクしますか?`,
  access: '選んだ1つの保管庫のノートを閲覧・変更できるようになります。「接続」でいつでも終了できます。',
  vault: '保管庫',
  newVault: (name) => `新しい保管庫: ${name}`,
  link: 'リンク',
  linked: 'リンクしました',
  linkedAbout: '端末に戻ってください。自動的に続行されます。',
  refused: '拒否しました',
  refusedAbout: '端末には何も渡されません。このページは閉じてかまいません。',
};

/** The texts of the pages on which a person links a device. */
export const linkTexts: Readonly<Record<PageLanguage, LinkTexts>> = { en: english, de: german, ja: japanese };
