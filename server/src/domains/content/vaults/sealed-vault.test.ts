import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugOf } from './sealed-vault.ts';

test('slugOf joins the lower-case words of a name by hyphens', () => {
  const slugs: [string, string][] = [
    ['Work', 'work'],
    ['  My Second—Vault! ', 'my-second-vault'],
    ['Übungen & Café', 'übungen-café'],
    ['日本語 ノート', '日本語-ノート'],
    ['Заметки 2026', 'заметки-2026'],
    ['हिन्दी नोट', 'हिन्दी-नोट'],
    ['Ｆｕｌｌ Ｗｉｄｔｈ', 'full-width'],
    ['🎉 !!!', 'vault'],
    ['a'.repeat(100), 'a'.repeat(80)],
    [`${'a'.repeat(79)} b`, 'a'.repeat(79)],
  ];
  for (const [name, slug] of slugs) assert.equal(slugOf(name), slug);
});
