import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EditorState } from '@codemirror/state';
import { languageTag, noteLanguageAttribute } from './note-language.ts';

function stateOf(doc: string): EditorState {
  return EditorState.create({ doc, extensions: [noteLanguageAttribute] });
}

test('the language of a note is what its frontmatter names as lang or language', () => {
  const cases = [
    ['---\nlang: de\n---\nText', 'de'],
    ['---\ntitle: x\nlanguage: "pt-br" # Brazil\n---\n', 'pt-BR'],
    ["---\nLang: 'ja'\n---\n", 'ja'],
    ['---\nlang: german\n---\n', null],
    ['---\nlang: a1\n---\n', null],
    ['---\nlang: en-x\n---\n', null],
    ['---\nlang:\n  - de\n---\n', null],
    ['---\nmeta:\n  lang: de\n---\n', null],
    ['---\nlang: de\n', null],
    ['lang: de\n', null],
    ['---\ntitle: x\n---\nlang: de\n', null],
    ['', null],
  ] as const;
  for (const [text, tag] of cases) assert.equal(languageTag(stateOf(text)), tag, text);
});

test('the language of a note follows changes of its frontmatter', () => {
  let state = stateOf('---\nlang: de\n---\nText');
  const edit = (from: number, to: number, insert: string) => {
    state = state.update({ changes: { from, to, insert } }).state;
    return languageTag(state);
  };
  assert.equal(edit(10, 12, 'ja'), 'ja');
  assert.equal(edit(state.doc.length, state.doc.length, ' more'), 'ja');
  assert.equal(edit(0, 1, ''), null);
  assert.equal(edit(0, 0, '-'), 'ja');
  assert.equal(edit(13, 16, ''), null);
  assert.equal(edit(state.doc.length, state.doc.length, '\n---\n'), 'ja');
});
