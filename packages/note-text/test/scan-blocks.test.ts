import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scan } from '../src/scan.ts';

function targets(content: string): string[] {
  return scan(content).links.map((link) => link.target);
}

function headings(content: string): string[] {
  return scan(content).headings.map(({ level, text, start, end }) => `${level} ${text} @ ${content.slice(start, end)}`);
}

test('scan ignores links in fenced code, whatever the fence', () => {
  assert.deepEqual(targets('```\n[[a]]\n```\n[[b]]'), ['b']);
  assert.deepEqual(targets('~~~ js\n[[a]]\n```\n[[c]]\n~~~\n[[b]]'), ['b']);
  assert.deepEqual(targets('````\n```\n[[a]]\n````\n[[b]]'), ['b']);
  assert.deepEqual(targets('```\n[[a]]\n\n[[c]]'), []);
  assert.deepEqual(targets('   ```\n[[a]]\n   ```\n[[b]]'), ['b']);
});

test('scan reads no fence with backticks in the info string, two backticks, or four columns of indent', () => {
  assert.deepEqual(targets('``` a`b\n[[x]]'), ['x']);
  assert.deepEqual(targets('``\n\n[[x]]'), ['x']);
  assert.deepEqual(targets('a\n    ```\n[[x]]'), ['x']);
});

test('scan ends a fence with its container', () => {
  assert.deepEqual(targets('> ```\n> [[a]]\n[[b]]'), ['b']);
  assert.deepEqual(targets('- ```\n  [[a]]\n[[b]]'), ['b']);
  assert.deepEqual(targets('- ```\n  [[a]]\n\n  [[c]]\n  ```\n  [[b]]'), ['b']);
  assert.deepEqual(targets('1. > ~~~\n   > [[a]]\n   > ~~~\n   > [[b]]'), ['b']);
});

test('scan ignores links in indented code, but not in indented lines of a paragraph or item', () => {
  assert.deepEqual(targets('    [[a]]\n\n    [[b]]\n\n[[c]]'), ['c']);
  assert.deepEqual(targets('\t[[a]]'), []);
  assert.deepEqual(targets('text\n    [[a]]'), ['a']);
  assert.deepEqual(targets('- x\n\n    [[a]]\n\n      [[b]]'), ['a']);
  assert.deepEqual(targets('- x\n\n  - y\n\n    [[a]]\n\n        [[b]]'), ['a']);
  assert.deepEqual(targets('-     [[a]]'), []);
  assert.deepEqual(targets('>     [[a]]\n>\n> [[b]]'), ['b']);
});

test('scan closes a code span with a run of the same length, over lines, before links', () => {
  assert.deepEqual(targets('`[[a]]` [[b]]'), ['b']);
  assert.deepEqual(targets('`` ` [[a]] `` [[b]]'), ['b']);
  assert.deepEqual(targets('`[[a]]\n[[b]]` [[c]]'), ['c']);
  assert.deepEqual(targets('` [[a]] ``'), ['a']);
  assert.deepEqual(targets('\\`[[a]]`'), ['a']);
  assert.deepEqual(targets('`a\n\n[[b]] `'), ['b']);
  assert.deepEqual(targets('[l`](a.md)`'), []);
});

test('scan ignores links in comments, within a line and over blank lines', () => {
  assert.deepEqual(targets('%%[[a]]%% [[b]]'), ['b']);
  assert.deepEqual(targets('%%\n[[a]]\n\n[[c]]\n%%\n[[b]]'), ['b']);
  assert.deepEqual(targets('x %% [[a]]\n[[c]] %% [[b]]'), ['b']);
  assert.deepEqual(targets('%%\n[[a]]\n%% [[b]]'), ['b']);
  assert.deepEqual(targets('<!-- [[a]] --> [[b]]'), ['b']);
  assert.deepEqual(targets('<!--\n[[a]]\n\n[[c]]\n--> [[b]]'), ['b']);
  assert.deepEqual(targets('x <!-- [[a]]\n[[c]] --> [[b]]'), ['b']);
  assert.deepEqual(targets('> %%\n> [[a]]\n> %%\n> [[b]]'), ['b']);
});

test('scan reads a comment mark in code, or one never closed, as text', () => {
  assert.deepEqual(targets('`%%` [[a]] `%%`'), ['a']);
  assert.deepEqual(targets('100 %%\n\n[[a]]'), ['a']);
  assert.deepEqual(targets('%%\n[[a]]\n\n[[b]]'), ['a', 'b']);
  assert.deepEqual(targets('x <!-- [[a]]\n\n[[b]]'), ['a', 'b']);
});

test('scan ignores links in mathematics, and does not read prices as mathematics', () => {
  assert.deepEqual(targets('$$\n[[a]]\n\n[[c]]\n$$\n[[b]]'), ['b']);
  assert.deepEqual(targets('$[[a]]$ $$[[c]]$$ [[b]]'), ['b']);
  assert.deepEqual(targets('$5 [[a]] $6 [[b]]\n\\$[[c]]$ $ [[d]] $'), ['a', 'b', 'c', 'd']);
  assert.deepEqual(targets('$x [[a]]\n[[b]]$'), ['a', 'b']);
});

test('scan reads ATX and setext headings, with the text as written', () => {
  assert.deepEqual(headings('# A #\n## B ##  \n### C#\n#\n####### no\n#no'), [
    '1 A @ # A #',
    '2 B @ ## B ##  ',
    '3 C# @ ### C#',
    '1  @ #',
  ]);
  assert.deepEqual(headings('A\nb\n===\nC\n---\n\n---\n'), ['1 A b @ A\nb\n===', '2 C @ C\n---']);
  assert.deepEqual(headings('> # A\n- ## B\n\n  C\n  ==='), ['1 A @ # A', '2 B @ ## B', '1 C @ C\n  ===']);
});

test('scan reads no headings in code, comments, HTML and tables', () => {
  assert.deepEqual(
    headings('```\n# A\n```\n    # B\n%%\n# C\n%%\n<div>\n# D\n</div>\n\n| # E |\n|---|\n| f |\n---\n'),
    [],
  );
  assert.deepEqual(headings('[r]: a.md\n===\n'), []);
});

test('scan reads links in headings, and a heading ends a paragraph', () => {
  assert.deepEqual(targets('`a\n# [[b]]\nc`'), ['b']);
});

test('scan ends lines at a lone CR, at CRLF and at LF', () => {
  for (const eol of ['\n', '\r\n', '\r']) {
    assert.deepEqual(targets(['```', '[[a]]', '```', '[[b]]', '# c', ''].join(eol)), ['b'], JSON.stringify(eol));
    assert.equal(scan(['x', '# c', ''].join(eol)).headings[0]?.text, 'c');
  }
});

test('scan leaves out the frontmatter', () => {
  assert.deepEqual(targets('---\na: "[[b]]"\n---\n[[c]]'), ['c']);
});

test('scan bounds the nesting of containers and reads deeper markers as text', () => {
  assert.deepEqual(targets(`${'> '.repeat(500)}[[a]]`), ['a']);
  assert.deepEqual(targets(`${'- '.repeat(500)}[[a]]`), ['a']);
});
