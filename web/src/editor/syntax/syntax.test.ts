import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteParser } from './markdown-language.ts';

/** The nodes of a text with the given names, each as `Name: source`. */
function nodesOf(source: string, names: readonly string[]): string[] {
  const found: string[] = [];
  noteParser.parse(source).iterate({
    enter: ({ name, from, to }) => {
      if (names.includes(name)) found.push(`${name}: ${source.slice(from, to)}`);
    },
  });
  return found;
}

test('the parser reads wikilinks and embeds with target and alias', () => {
  const names = ['WikiLink', 'WikiEmbed', 'WikiTarget', 'WikiAlias'];
  assert.deepEqual(nodesOf('See [[A b#C|shown]] and ![[x.png]].', names), [
    'WikiLink: [[A b#C|shown]]',
    'WikiTarget: A b#C',
    'WikiAlias: shown',
    'WikiEmbed: ![[x.png]]',
    'WikiTarget: x.png',
  ]);
  assert.deepEqual(nodesOf('`[[a]]` and [[]] and [[a\nb]]', names), []);
});

test('a pipe in a wikilink parts its alias, and no cells of a table', () => {
  const table = '| [[a|b]] | `c` |\n| --- | :-: |\n| ![[d|9]] | e\\|f |\n|| [[g|h |';
  assert.deepEqual(nodesOf(table, ['TableCell', 'WikiAlias']), [
    'TableCell: [[a|b]]',
    'WikiAlias: b',
    'TableCell: `c`',
    'TableCell: ![[d|9]]',
    'WikiAlias: 9',
    'TableCell: e\\|f',
    'TableCell: [[g',
    'TableCell: h',
  ]);
  assert.deepEqual(nodesOf('text\r\n| a |\r\n| - |\r\n| b |\r\n', ['Table']), ['Table: | a |\r\n| - |\r\n| b |\r']);
  assert.deepEqual(nodesOf('> | a |\n> |---|\n> | b |', ['TableCell']), ['TableCell: a', 'TableCell: b']);
  assert.deepEqual(nodesOf('| a |\n| b |', ['Table']), []);
});

test('the parser reads tags after white space only', () => {
  assert.deepEqual(nodesOf('#one a#no #två/tre (#no) # no #1', ['Tag']), ['Tag: #one', 'Tag: #två/tre']);
});

test('the parser reads highlights, and leaves comparisons alone', () => {
  assert.deepEqual(nodesOf('a ==b c== d', ['Highlight']), ['Highlight: ==b c==']);
  assert.deepEqual(nodesOf('a == b == c ====', ['Highlight']), []);
});

test('the parser reads formulas, and leaves prices alone', () => {
  const names = ['InlineMath', 'DisplayMath', 'BlockMath'];
  assert.deepEqual(nodesOf('a $x^2$ b $$y$$ c', names), ['InlineMath: $x^2$', 'DisplayMath: $$y$$']);
  assert.deepEqual(nodesOf('It costs $5 or $6.', names), []);
  assert.deepEqual(nodesOf('$$\na\n$$\n\ntext', names), ['BlockMath: $$\na\n$$']);
  assert.deepEqual(nodesOf('text\n$$\na\\\\\n$$ \nmore', names), ['BlockMath: $$\na\\\\\n$$']);
  assert.deepEqual(nodesOf('> $$\n> a\n\nb $$', names), ['BlockMath: $$\n> a']);
});

test('the parser reads comments within lines and as blocks', () => {
  const names = ['InlineComment', 'BlockComment', 'StrongEmphasis'];
  assert.deepEqual(nodesOf('a %%b **c**%% d', names), ['InlineComment: %%b **c**%%']);
  assert.deepEqual(nodesOf('a\n%%\n**b**\n%%\n**c**', names), ['BlockComment: %%\n**b**\n%%', 'StrongEmphasis: **c**']);
});

test('the parser reads footnotes and what continues them', () => {
  const names = ['FootnoteReference', 'FootnoteDefinition', 'InlineFootnote'];
  assert.deepEqual(nodesOf('a[^1] b^[in line]\n\n[^1]: one\n\n    two\n\nthree', names), [
    'FootnoteReference: [^1]',
    'InlineFootnote: ^[in line]',
    'FootnoteDefinition: [^1]: one\n\n    two',
  ]);
});

test('the parser reads frontmatter only where it begins the note and is closed', () => {
  assert.deepEqual(nodesOf('---\na: 1\n---\n# b', ['Frontmatter', 'ATXHeading1']), [
    'Frontmatter: ---\na: 1\n---',
    'ATXHeading1: # b',
  ]);
  assert.deepEqual(nodesOf('---\na: 1\n# b', ['Frontmatter', 'ATXHeading1']), ['ATXHeading1: # b']);
  assert.deepEqual(nodesOf('x\n\n---\na: 1\n---', ['Frontmatter']), []);
  assert.deepEqual(nodesOf('---\n---\nx', ['Frontmatter']), ['Frontmatter: ---\n---']);
});

test('the parser reads block ids at the ends of lines', () => {
  assert.deepEqual(nodesOf('a ^id-1\nb ^no c\n\n- d ^x', ['BlockId']), ['BlockId: ^id-1', 'BlockId: ^x']);
});
