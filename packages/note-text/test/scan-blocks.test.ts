import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scan } from '../src/scan.ts';

function targets(content: string): string[] {
  return scan(content).links.map((link) => link.target);
}

function headings(content: string): string[] {
  return scan(content).headings.map(({ level, text, start, end }) => `${level} ${text} @ ${content.slice(start, end)}`);
}

test('fenced code holds no links, whatever its fence', () => {
  assert.deepEqual(targets('```\n[[a]]\n```\n[[b]]'), ['b']);
  assert.deepEqual(targets('~~~ js\n[[a]]\n```\n[[c]]\n~~~\n[[b]]'), ['b']);
  assert.deepEqual(targets('````\n```\n[[a]]\n````\n[[b]]'), ['b']);
  assert.deepEqual(targets('```\n[[a]]\n\n[[c]]'), []);
  assert.deepEqual(targets('   ```\n[[a]]\n   ```\n[[b]]'), ['b']);
});

test('backticks in the info string, two backticks, or four columns before them make no fence', () => {
  assert.deepEqual(targets('``` a`b\n[[x]]'), ['x']);
  assert.deepEqual(targets('``\n\n[[x]]'), ['x']);
  assert.deepEqual(targets('a\n    ```\n[[x]]'), ['x']);
});

test('a fence ends with its container', () => {
  assert.deepEqual(targets('> ```\n> [[a]]\n[[b]]'), ['b']);
  assert.deepEqual(targets('- ```\n  [[a]]\n[[b]]'), ['b']);
  assert.deepEqual(targets('- ```\n  [[a]]\n\n  [[c]]\n  ```\n  [[b]]'), ['b']);
  assert.deepEqual(targets('1. > ~~~\n   > [[a]]\n   > ~~~\n   > [[b]]'), ['b']);
});

test('indented code holds no links; an indented line of a paragraph or an item does', () => {
  assert.deepEqual(targets('    [[a]]\n\n    [[b]]\n\n[[c]]'), ['c']);
  assert.deepEqual(targets('\t[[a]]'), []);
  assert.deepEqual(targets('text\n    [[a]]'), ['a']);
  assert.deepEqual(targets('- x\n\n    [[a]]\n\n      [[b]]'), ['a']);
  assert.deepEqual(targets('- x\n\n  - y\n\n    [[a]]\n\n        [[b]]'), ['a']);
  assert.deepEqual(targets('-     [[a]]'), []);
  assert.deepEqual(targets('>     [[a]]\n>\n> [[b]]'), ['b']);
});

test('code spans close with a run of the same length, over lines, before links', () => {
  assert.deepEqual(targets('`[[a]]` [[b]]'), ['b']);
  assert.deepEqual(targets('`` ` [[a]] `` [[b]]'), ['b']);
  assert.deepEqual(targets('`[[a]]\n[[b]]` [[c]]'), ['c']);
  assert.deepEqual(targets('` [[a]] ``'), ['a']);
  assert.deepEqual(targets('\\`[[a]]`'), ['a']);
  assert.deepEqual(targets('`a\n\n[[b]] `'), ['b']);
  assert.deepEqual(targets('[l`](a.md)`'), []);
});

test('comments hold no links, within a line and over blank lines', () => {
  assert.deepEqual(targets('%%[[a]]%% [[b]]'), ['b']);
  assert.deepEqual(targets('%%\n[[a]]\n\n[[c]]\n%%\n[[b]]'), ['b']);
  assert.deepEqual(targets('x %% [[a]]\n[[c]] %% [[b]]'), ['b']);
  assert.deepEqual(targets('%%\n[[a]]\n%% [[b]]'), ['b']);
  assert.deepEqual(targets('<!-- [[a]] --> [[b]]'), ['b']);
  assert.deepEqual(targets('<!--\n[[a]]\n\n[[c]]\n--> [[b]]'), ['b']);
  assert.deepEqual(targets('x <!-- [[a]]\n[[c]] --> [[b]]'), ['b']);
  assert.deepEqual(targets('> %%\n> [[a]]\n> %%\n> [[b]]'), ['b']);
});

test('a comment mark in code, or one that nothing closes, is text', () => {
  assert.deepEqual(targets('`%%` [[a]] `%%`'), ['a']);
  assert.deepEqual(targets('100 %%\n\n[[a]]'), ['a']);
  assert.deepEqual(targets('%%\n[[a]]\n\n[[b]]'), ['a', 'b']);
  assert.deepEqual(targets('x <!-- [[a]]\n\n[[b]]'), ['a', 'b']);
});

test('mathematics holds no links; prices are none', () => {
  assert.deepEqual(targets('$$\n[[a]]\n\n[[c]]\n$$\n[[b]]'), ['b']);
  assert.deepEqual(targets('$[[a]]$ $$[[c]]$$ [[b]]'), ['b']);
  assert.deepEqual(targets('$5 [[a]] $6 [[b]]\n\\$[[c]]$ $ [[d]] $'), ['a', 'b', 'c', 'd']);
  assert.deepEqual(targets('$x [[a]]\n[[b]]$'), ['a', 'b']);
});

test('headings of both kinds, with the text as written', () => {
  assert.deepEqual(headings('# A #\n## B ##  \n### C#\n#\n####### no\n#no'), [
    '1 A @ # A #',
    '2 B @ ## B ##  ',
    '3 C# @ ### C#',
    '1  @ #',
  ]);
  assert.deepEqual(headings('A\nb\n===\nC\n---\n\n---\n'), ['1 A b @ A\nb\n===', '2 C @ C\n---']);
  assert.deepEqual(headings('> # A\n- ## B\n\n  C\n  ==='), ['1 A @ # A', '2 B @ ## B', '1 C @ C\n  ===']);
});

test('code, comments, HTML and tables make no headings', () => {
  assert.deepEqual(
    headings('```\n# A\n```\n    # B\n%%\n# C\n%%\n<div>\n# D\n</div>\n\n| # E |\n|---|\n| f |\n---\n'),
    [],
  );
  assert.deepEqual(headings('[r]: a.md\n===\n'), []);
});

test('headings hold links, and end a paragraph', () => {
  assert.deepEqual(targets('`a\n# [[b]]\nc`'), ['b']);
});

test('a lone CR, CRLF and LF end lines', () => {
  for (const eol of ['\n', '\r\n', '\r']) {
    assert.deepEqual(targets(['```', '[[a]]', '```', '[[b]]', '# c', ''].join(eol)), ['b'], JSON.stringify(eol));
    assert.equal(scan(['x', '# c', ''].join(eol)).headings[0]?.text, 'c');
  }
});

test('the frontmatter is no part of the body', () => {
  assert.deepEqual(targets('---\na: "[[b]]"\n---\n[[c]]'), ['c']);
});

test('containers nest to a bound, beyond which their marks are text', () => {
  assert.deepEqual(targets(`${'> '.repeat(500)}[[a]]`), ['a']);
  assert.deepEqual(targets(`${'- '.repeat(500)}[[a]]`), ['a']);
});
