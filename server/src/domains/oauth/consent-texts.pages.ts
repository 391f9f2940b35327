import type { PageLanguage } from '../../http/pages/page-language.ts';
import { type Html, html } from '../../http/pages/pages.ts';

const english = {
  signInTitle: (client: string) => `Sign in to let ${client} in`,
  title: 'Let an application in',
  wants: (client: string) => `${client} wants to use your vaults`,
  who: 'Who is asking',
  where: 'You will be sent to',
  what: 'It asks to',
  write: 'read and change notes in the vaults you choose',
  read: 'read notes in the vaults you choose',
  permissions: { none: 'No access', read: 'Read only', write: 'Read and write' },
  inEach: 'What it may do in each vault',
  later: 'Vaults that you make later',
  revocable: 'You can take this back at any time under your connections.',
  allow: 'Allow',
  someoneElse: 'Somebody else?',
  application: 'An application',
  verified: (host: string): Html => html`<strong>${host}</strong>, verified`,
  unverifiedSite: (host: string): Html =>
    html`The site <strong>${host}</strong>, <strong class="bad">not verified</strong>: any application can take this name. Go on only if you have just begun this yourself.`,
  unverifiedProgram: html`A program on your device, <strong class="bad">not verified</strong>: any application can take this name. Go on only if you have just begun this yourself.`,
};

export type ConsentTexts = typeof english;

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

/** The texts of the pages on which a person decides about an application. */
export const consentTexts: Readonly<Record<PageLanguage, ConsentTexts>> = { en: english, de: german, ja: japanese };
