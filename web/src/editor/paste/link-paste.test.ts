import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { noteLanguage } from '../syntax/markdown-language.ts';
import { linkSpec } from './link-paste.ts';

/** Returns the note after a URL was pasted over the text between `⟨` and `⟩`; null if the URL replaces the text. */
function pasted(note: string, url: string): string | null {
  const [anchor, head] = [note.indexOf('⟨'), note.indexOf('⟩') - 1];
  const doc = note.replace(/[⟨⟩]/g, '');
  const state = EditorState.create({ doc, selection: { anchor, head }, extensions: noteLanguage(null) });
  ensureSyntaxTree(state, doc.length, 5_000);
  const spec = linkSpec(state, url);
  return spec === null ? null : state.update(spec).state.sliceDoc();
}

test('an address that is pasted onto a text makes a link of it', () => {
  assert.equal(
    pasted('see ⟨the page⟩ now', 'https://example.org/a_(b)'),
    'see [the page](https://example.org/a_%28b%29) now',
  );
  assert.equal(pasted('| ⟨a⟩ | b |', 'mailto:a@example.org'), '| [a](mailto:a@example.org) | b |');
});

test('it replaces what could not be a link, and other texts replace all', () => {
  const url = 'https://example.org';
  for (const note of [
    'a⟨⟩b',
    '⟨a\nb⟩',
    '⟨https://example.com⟩',
    '[⟨a⟩](b)',
    '`⟨a⟩`',
    '[[⟨a⟩]]',
    '```\n⟨a⟩\n```',
    '⟨a [b⟩',
  ]) {
    assert.equal(pasted(note, url), null, note);
  }
  for (const text of ['example.org', 'javascript:x', 'https://a b', '']) assert.equal(pasted('⟨a⟩', text), null, text);
});
