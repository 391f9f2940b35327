import assert from 'node:assert/strict';
import { test } from 'node:test';
import { excerptOf } from './text-change.ts';

/** Returns the excerpt between the `[` and `]` of a text. */
function excerptAt(marked: string): string {
  const start = marked.indexOf('[');
  const content = marked.replace('[', '').replace(']', '');
  const { text, ...place } = excerptOf(content, { start, end: marked.indexOf(']') - 1 });
  return `${text.slice(0, place.start)}[${text.slice(place.start, place.end)}]${text.slice(place.end)}`;
}

test('excerptOf is the whole of a short line, on one line', () => {
  assert.equal(excerptAt('above\n- one\t [two] three\nbelow'), '- one [two] three');
  assert.equal(excerptAt(`${'a'.repeat(60)}[x]${'b'.repeat(60)}`), `${'a'.repeat(60)}[x]${'b'.repeat(60)}`);
});

test('excerptOf cuts a long line between two words, and says so', () => {
  const words = 'plant '.repeat(20);
  assert.equal(excerptAt(`${words}[peas] ${words}`), `…${'plant '.repeat(10)}[peas] ${'plant '.repeat(9)}plant…`);
});

test('excerptOf cuts within a word that is longer than words are', () => {
  assert.equal(excerptAt(`${'豆'.repeat(90)} [x]${'豆'.repeat(90)}`), `…${'豆'.repeat(59)} [x]${'豆'.repeat(60)}…`);
});

test('excerptOf cuts a long place, and never half a character', () => {
  assert.equal(excerptAt(`a [${'x'.repeat(90)}] b`), `a [${'x'.repeat(80)}…] b`);
  assert.equal(excerptAt(`${'🌱'.repeat(40)}[x]`), `…${'🌱'.repeat(30)}[x]`);
  assert.equal(excerptAt(`${'🌱'.repeat(40)}.[x]`), `…${'🌱'.repeat(29)}.[x]`);
});
