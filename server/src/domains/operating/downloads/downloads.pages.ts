import type { Download } from '@notevault/protocol/downloads.ts';
import type { PageLanguage } from '../../../http/pages/page-language.ts';
import { html, type Page } from '../../../http/pages/pages.ts';
import { PACKAGE, PLUGIN } from './downloads.ts';

/** The page that lists what can be downloaded. */
export function downloadsPage(language: PageLanguage, version: string, files: readonly Download[]): Page {
  const t = texts[language];
  const about = new Map([
    [PLUGIN, t.plugin],
    [PACKAGE, t.package],
  ]);
  const rows = files.map(({ name, size_bytes, sha256, url }) => {
    const install = name === PACKAGE ? html`<p><code>npm install -g --allow-remote=root ${url}</code></p>` : null;
    return html`<dt>${about.get(name) ?? t.file}</dt>
<dd><a href="${url}" download>${name}</a> · ${megabytes(language, size_bytes)}${install}<p class="soft">SHA-256 <code>${sha256}</code></p></dd>
`;
  });
  return {
    language,
    title: t.title,
    body: html`<h1>${t.title}</h1>
<p>${files.length === 0 ? t.none : t.about(version)}</p>
${rows.length === 0 ? null : html`<dl>${rows}</dl>`}`,
  };
}

function megabytes(language: PageLanguage, bytes: number): string {
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 });
  return format.format(bytes / 1_000_000);
}

const english = {
  title: 'Downloads',
  about: (version: string) => `For this server, version ${version}.`,
  none: 'This server has nothing to download.',
  plugin: 'Plugin for Obsidian: unpack it into .obsidian/plugins of your vault.',
  package: 'Command line, to sync folders and to run a server; it needs Node 24.6 or newer.',
  file: 'From the operator of this server',
};

const texts: Readonly<Record<PageLanguage, typeof english>> = {
  en: english,
  de: {
    title: 'Downloads',
    about: (version) => `Für diesen Server, Version ${version}.`,
    none: 'Dieser Server hat nichts herunterzuladen.',
    plugin: 'Plugin für Obsidian: entpacke es nach .obsidian/plugins in deinem Tresor.',
    package: 'Befehlszeile, um Ordner zu synchronisieren und Server zu betreiben; sie braucht Node 24.6 oder neuer.',
    file: 'Vom Betreiber dieses Servers',
  },
  ja: {
    title: 'ダウンロード',
    about: (version) => `このサーバー（バージョン ${version}）用です。`,
    none: 'このサーバーにはダウンロードできるものがありません。',
    plugin: 'Obsidian 用プラグイン：保管庫の .obsidian/plugins に展開してください。',
    package: 'コマンドライン（フォルダーの同期とサーバーの実行用）。Node 24.6 以降が必要です。',
    file: 'このサーバーの運営者から',
  },
};
