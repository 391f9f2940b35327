import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cistem } from '../src/words/cistem.ts';

test('cistem gives the stems of the published implementation', () => {
  const stems = { speicherbehältern: 'speicherbehal', grenzpostens: 'grenzpo', ausgefeiltere: 'ausgefeil' };
  for (const [word, stem] of Object.entries(stems)) assert.equal(cistem(word), stem);
});

test('cistem gives one stem to the forms of a word', () => {
  const families = [
    ['kaufen', 'kauft', 'gekauft', 'kaufend'],
    ['haus', 'häuser', 'häusern', 'hauses'],
    ['aufpumpen', 'aufgepumpt', 'aufzupumpen'],
    ['frühstück', 'fruehstueck', 'frühstücke'],
    ['straße', 'strassen'],
    ['kleine', 'kleiner', 'kleines'],
  ];
  for (const words of families) assert.deepEqual(new Set(words.map(cistem)).size, 1, words.join(' '));
});

test('cistem keeps apart what only looks alike, and leaves short words', () => {
  assert.notEqual(cistem('quelle'), cistem('qualle'));
  assert.notEqual(cistem('umgebung'), cistem('umbau'));
  assert.deepEqual(['ei', 'tee', 'geh'].map(cistem), ['ei', 'tee', 'geh']);
});
