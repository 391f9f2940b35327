/**
 * Real vaults in four languages, when a copy lies beside the repository: every link resolves the same through the keys
 * as among all files, and hand-checked links go where the desktop application takes them.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fileName, joinPath } from '../src/paths.ts';
import type { LinkForm } from '../src/raw-link.ts';
import { aliasKey, attachmentNameKey, type Candidate, lookupOf, noteNameKey, resolve } from '../src/resolve.ts';
import { scan } from '../src/scan.ts';

const vaults = fileURLToPath(new URL('../../../../shared/vaults/', import.meta.url));
const skip = existsSync(vaults) ? false : `no vaults at ${vaults}`;
const extensions = new Set(['png', 'svg', 'jpg', 'jpeg', 'ogg', 'json', 'pdf', 'mp4']);

interface Vault {
  readonly files: readonly Candidate[];
  readonly texts: ReadonlyMap<string, string>;
}

function aliasesOf(text: string): string[] {
  const list = /^---\n(?:.*\n)*?aliases:\n((?: *- .*\n)+)/.exec(text.slice(0, 4000))?.[1] ?? '';
  return list.split('\n').flatMap((line) => /^ *- *"?(.+?)"?$/.exec(line)?.[1] ?? []);
}

function load(name: string): Vault {
  const texts = new Map<string, string>();
  const files: Candidate[] = [];
  const walk = (folder: string) => {
    for (const entry of readdirSync(`${vaults}${name}/${folder}`, { withFileTypes: true })) {
      const onDisk = joinPath(folder, entry.name);
      const path = onDisk.normalize('NFC');
      if (entry.isDirectory()) walk(onDisk);
      else if (!path.endsWith('.md')) files.push({ kind: 'attachment', id: path, path, aliases: [] });
      else {
        const text = readFileSync(`${vaults}${name}/${onDisk}`, 'utf8');
        texts.set(path, text);
        files.push({ kind: 'note', id: path, path, aliases: aliasesOf(text) });
      }
    }
  };
  walk('');
  return { files, texts };
}

/** Of the links to notes, the share that resolves (the notes about links show some that lead nowhere). */
const expected: Record<string, { readonly notes: number; readonly resolved: number }> = {
  en: { notes: 173, resolved: 0.99 },
  ja: { notes: 173, resolved: 0.98 },
  ru: { notes: 173, resolved: 0.98 },
  Sandbox: { notes: 31, resolved: 1 },
};

for (const [name, { notes, resolved }] of Object.entries(expected)) {
  test(`every link of ${name} resolves the same by keys as among all files`, { skip }, () => {
    const { files, texts } = load(name);
    assert.equal(texts.size, notes);
    const byKey = new Map<string, Candidate[]>();
    for (const file of files) {
      const { kind, path, aliases } = file;
      const keys = kind === 'note' ? [noteNameKey(path), ...aliases.map(aliasKey)] : [attachmentNameKey(path)];
      for (const key of new Set(keys)) byKey.set(key, [...(byKey.get(key) ?? []), file]);
    }
    let links = 0;
    let found = 0;
    for (const [source, text] of texts) {
      for (const link of scan(text).links) {
        const lookup = lookupOf(link.target, link.form, extensions);
        if (lookup.kind === 'self') continue;
        const candidates = [...new Set(lookup.stems.flatMap((stem) => byKey.get(stem) ?? []))];
        const hit = resolve(link, source, candidates, extensions);
        assert.equal(hit, resolve(link, source, files, extensions), `${source}: ${link.target}`);
        if (!lookup.attachmentsFirst) links++;
        if (!lookup.attachmentsFirst && hit !== null) found++;
        // Where the name alone decides, what was found must carry it.
        const keys =
          hit === null ? [] : [noteNameKey(hit.path), attachmentNameKey(hit.path), ...hit.aliases.map(aliasKey)];
        if (hit !== null) assert.ok(lookup.stems.some((stem) => keys.includes(stem)));
      }
    }
    assert.ok(links > 50 && found >= links * resolved, `${found} of ${links}`);
  });
}

type Spot = readonly [source: string, form: LinkForm, target: string, path: string | null];

/** Links as they stand in the notes, and the file a click on them opens. */
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
  test(`hand-checked links of ${name}`, { skip }, () => {
    const { files, texts } = load(name);
    for (const [source, form, target, path] of links) {
      assert.ok(texts.has(source), source);
      const hit = resolve({ target, form }, source, files, extensions);
      assert.equal(hit?.path ?? null, path, `${source}: ${fileName(target)}`);
    }
  });
}
