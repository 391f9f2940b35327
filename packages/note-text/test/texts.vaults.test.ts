/**
 * Published vaults in four languages: every link resolves the same by keys as among all files, hand-checked links lead
 * where the desktop application takes them, and the scanner agrees with markdown-it.
 */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { realNotes, realVaults } from '../../../server/test/kit/content/real-vaults.ts';
import { chunksOf } from '../src/chunks.ts';
import { assertAgreement, assertSpans } from './markdown-it.ts';
import { assertSameByKeys, assertSpots, type LinkedVault, linkedVault, type Spot } from './resolve-vault.ts';

function load(name: string): LinkedVault {
  const others = globSync('**/*.*', { cwd: join(realVaults(), name) }).filter((path) => !path.endsWith('.md'));
  return linkedVault(
    realNotes(name),
    others.map((path) => path.normalize('NFC')),
  );
}

/** The share of links to notes that resolve (the notes about links contain some that deliberately do not). */
const expected: Record<string, { readonly notes: number; readonly resolved: number }> = {
  en: { notes: 173, resolved: 0.99 },
  ja: { notes: 173, resolved: 0.98 },
  ru: { notes: 173, resolved: 0.98 },
  Sandbox: { notes: 31, resolved: 1 },
};

for (const [name, { notes, resolved }] of Object.entries(expected)) {
  test(`every link of ${name} resolves the same by keys as among all files`, () => {
    const vault = load(name);
    assert.equal(vault.texts.size, notes);
    const { links, found } = assertSameByKeys(vault);
    assert.ok(links > 50 && found >= links * resolved, `${found} of ${links}`);
  });
}

/** Links as written in the notes, and the file that a click on each opens. */
const spots: Record<string, readonly Spot[]> = {
  en: [
    ['Home.md', 'wikilink', 'Settings', 'User interface/Settings.md'],
    [
      'Obsidian Publish/Introduction to Obsidian Publish.md',
      'wikilink',
      'Security and privacy',
      'Obsidian Publish/Security and privacy.md',
    ],
    ['Obsidian Sync/Headless Sync.md', 'wikilink', 'Security and privacy', 'Obsidian Sync/Security and privacy.md'],
    [
      'Teams/Syncing for teams.md',
      'wikilink',
      'Obsidian Sync/Security and privacy',
      'Obsidian Sync/Security and privacy.md',
    ],
    [
      'Obsidian Web Clipper/Variables.md',
      'wikilink',
      'Obsidian Web Clipper/Templates',
      'Obsidian Web Clipper/Templates.md',
    ],
    ['Plugins/Daily notes.md', 'wikilink', 'Plugins/Templates', 'Plugins/Templates.md'],
    ['Plugins/Backlinks.md', 'wikilink', 'internal links', 'Linking notes and files/Internal links.md'],
    ['Plugins/Backlinks.md', 'wikilink', 'Backlinks.png', 'Attachments/Backlinks.png'],
    ['Bases/Layouts/Table view.md', 'markdown', 'bases-noshadow.png', 'Attachments/bases-noshadow.png'],
    [
      'Linking notes and files/Embed files.md',
      'wikilink',
      'Excerpt from Mother of All Demos (1968).ogg',
      'Attachments/audio/Excerpt from Mother of All Demos (1968).ogg',
    ],
    ['Linking notes and files/Internal links.md', 'wikilink', 'Projects/Three laws of motion', null],
    ['Linking notes and files/Internal links.md', 'markdown', 'Example.md', null],
  ],
  ja: [
    [
      'Obsidian Publish/Obsidian Publishの概要.md',
      'wikilink',
      'セキュリティとプライバシー',
      'Obsidian Publish/セキュリティとプライバシー.md',
    ],
    [
      'Obsidian Sync/ヘッドレスSync.md',
      'wikilink',
      'セキュリティとプライバシー',
      'Obsidian Sync/セキュリティとプライバシー.md',
    ],
    ['プラグイン/デイリーノート.md', 'wikilink', 'テンプレート', 'プラグイン/テンプレート.md'],
    ['ユーザーインターフェイス/タブ.md', 'wikilink', 'ワークスペース', 'ユーザーインターフェイス/ワークスペース.md'],
    ['プラグイン/コアプラグイン.md', 'wikilink', 'ワークスペース', 'プラグイン/ワークスペース.md'],
  ],
  ru: [
    [
      'Команды/Синхронизация для команд.md',
      'wikilink',
      'Obsidian Sync/Безопасность и конфиденциальность',
      'Obsidian Sync/Безопасность и конфиденциальность.md',
    ],
    ['Плагины/Ежедневные заметки.md', 'wikilink', 'Шаблоны', 'Плагины/Шаблоны.md'],
    ['Obsidian Web Clipper/Переменные.md', 'wikilink', 'Шаблоны', 'Obsidian Web Clipper/Шаблоны.md'],
    ['Помощь и поддержка.md', 'wikilink', 'настройки', 'Интерфейс пользователя/Настройки.md'],
    ['Импорт заметок/CSV.md', 'wikilink', 'Импортёр', 'Импорт заметок/Импортёр.md'],
  ],
  Sandbox: [
    ['Formatting/Links.md', 'markdown', 'Format your notes', 'Formatting/Format your notes.md'],
    ['Formatting/Links.md', 'markdown', 'Format your notes.md', 'Formatting/Format your notes.md'],
    ['Start here.md', 'wikilink', 'Vault is just a local folder', 'Vault is just a local folder.md'],
    ['Start here.md', 'wikilink', 'No prior experience', 'Adventurer/No prior experience.md'],
  ],
};

for (const [name, links] of Object.entries(spots)) {
  test(`hand-checked links of ${name} resolve to the expected file`, () => assertSpots(load(name), links));
}

test('markdown-it and the scanner agree on every note, and link spans slice to links', () => {
  const notes = realNotes('');
  assert.ok(assertAgreement(notes) >= 6);
  assert.deepEqual(assertSpans(notes), []);
});

test('the chunks of every note together are the note', () => {
  for (const [path, content] of realNotes('')) {
    const chunks = chunksOf(content, 200);
    assert.equal(chunks.map(({ start, end }) => content.slice(start, end)).join(''), content, path);
  }
});
