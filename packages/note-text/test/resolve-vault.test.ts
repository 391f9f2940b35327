import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LANGUAGES, testVault } from '../../../server/test/kit/content/test-vault.ts';
import { assertSameByKeys, assertSpots, type LinkedVault, linkedVault, type Spot } from './resolve-vault.ts';

function load(name: (typeof LANGUAGES)[number]): LinkedVault {
  const { notes, attachments } = testVault(name);
  return linkedVault(notes, attachments.keys());
}

for (const name of LANGUAGES) {
  test(`every link of ${name} resolves the same by keys as among all files`, () => {
    const { links, found } = assertSameByKeys(load(name));
    assert.ok(links > 50 && found >= links * 0.9, `${found} of ${links}`);
  });
}

const en: readonly Spot[] = [
  ['Home.md', 'wikilink', 'Garden', 'Garden/Garden.md'],
  ['Home.md', 'wikilink', 'house.png', 'files/house.png'],
  ['Garden/Shed.md', 'wikilink', 'Tools', 'Garden/Tools.md'],
  ['Garden/Tools.md', 'wikilink', 'Bicycle/Tools', 'Bicycle/Tools.md'],
  ['Bicycle/Tools.md', 'markdown', '../Workshop/Tools.md', 'Workshop/Tools.md'],
  ['Bicycle/Tools.md', 'markdown', 'Tools.md', 'Bicycle/Tools.md'],
  ['Workshop/Tools.md', 'wikilink', '../Garden/Tools', 'Garden/Tools.md'],
  ['Links of every kind.md', 'wikilink', 'love apples', 'Garden/Tomatoes.md'],
  ['Links of every kind.md', 'markdown', 'Garden/Crop rotation.md', 'Garden/Crop rotation.md'],
  ['Links of every kind.md', 'wikilink', 'Nowhere at all', null],
  ['Kitchen/Kitchen.md', 'wikilink', 'our daily loaf', 'Kitchen/Sourdough bread.md'],
];
const others: Readonly<Record<string, readonly Spot[]>> = {
  ru: [
    ['Начало.md', 'wikilink', 'ТОМАТЫ', 'Сад/Помидоры.md'],
    ['Поездки/Поездки.md', 'markdown', 'Дневник/Байкал.md', 'Поездки/Дневник/Байкал.md'],
  ],
  ja: [
    ['旅/旅.md', 'markdown', '日記/京都.md', '旅/日記/京都.md'],
    ['はじめに.md', 'wikilink', 'とまと', '庭/トマト.md'],
  ],
  de: [['Anfang.md', 'wikilink', 'küche', 'Küche/Küche.md']],
  ko: [['처음.md', 'wikilink', '정원'.normalize('NFD'), '정원/정원.md']],
};

test('hand-checked links resolve to the file that the desktop application opens', () => {
  assertSpots(load('en'), en);
  for (const name of LANGUAGES) assertSpots(load(name), others[name] ?? []);
});
