import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findAll, foldCase } from '../src/find-text.ts';
import { mentionNames, mentionsIn } from '../src/mentions.ts';
import { isTagName, tagOccurrences } from '../src/rename-tag.ts';
import { occurrencesOf } from '../src/replace-text.ts';
import { processorMs } from './processor.ts';

const renamed = (content: string, from: string, to: string) =>
  tagOccurrences(content, from)
    .reverse()
    .reduce((text, { start, end }) => text.slice(0, start) + to + text.slice(end), content);

test('findAll finds what a search from place to place finds', () => {
  for (const text of ['', 'a', 'aaaaaaa', 'abababab', 'xaabaabaaab', 'abcabcabcabd']) {
    for (const wanted of ['a', 'aa', 'ab', 'aab', 'abab', 'abcabd', 'x', 'aaaaaaaaaaaa']) {
      const expected: number[] = [];
      for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) expected.push(at);
      assert.deepEqual(findAll(text, wanted), expected, `${wanted} in ${text}`);
    }
  }
});

test('findAll takes linear time for texts that begin alike everywhere', () => {
  const long = 'a'.repeat(3_000_000);
  const ms = processorMs(() => assert.deepEqual(findAll(long, `${'a'.repeat(1000)}b`), []));
  assert.ok(ms < 2000, `${ms} ms`);
});

test('foldCase keeps every offset, also of letters whose lower case is longer', () => {
  assert.equal(foldCase('ÄİΣ ΟΔΟΣ'), 'äİσ οδοσ');
  assert.equal(foldCase('\u{10400}İ'), '\u{10428}İ');
});

test('occurrencesOf finds a text with or without regard to case and words', () => {
  const find = (content: string, text: string, matchCase = false, wholeWords = false) =>
    occurrencesOf(content, { text, matchCase, wholeWords }).map(({ start }) => start);
  assert.deepEqual(find('Cat cat concat cats', 'cat'), [0, 4, 11, 15]);
  assert.deepEqual(find('Cat cat concat cats', 'cat', true), [4, 11, 15]);
  assert.deepEqual(find('Cat cat concat cats', 'cat', false, true), [0, 4]);
  assert.deepEqual(find('`cat` cat_a e\u0301 e', 'e', false, true), [15]);
  assert.deepEqual(find('東京都の東京', '東京', false, true), [0, 4]);
});

test('tagOccurrences follows nested tags in text and frontmatter, and leaves code, links and others', () => {
  const content = [
    '---',
    'tags: [Work, "#work/plan", workshop, other]',
    "tag: work, 'x' #work/sub",
    'title: work',
    '---',
    '#work #Work/Plan #workshop `#work` [#work](a.md) https://a.b/#work',
    '```',
    '#work',
    '```',
    '%% #work %%',
  ].join('\n');
  assert.equal(
    renamed(content, 'WORK', 'job/day'),
    [
      '---',
      'tags: [job/day, "#job/day/plan", workshop, other]',
      "tag: job/day, 'x' #work/sub",
      'title: work',
      '---',
      '#job/day #job/day/Plan #workshop `#work` [#work](a.md) https://a.b/#work',
      '```',
      '#work',
      '```',
      '%% #work %%',
    ].join('\n'),
  );
  assert.equal(
    renamed('---\ntags:\n  - a/b # note\n  - a\n---\n#a/b/c', 'a/b', 'x'),
    '---\ntags:\n  - x # note\n  - a\n---\n#x/c',
  );
  assert.equal(renamed('---\ntags: one two,three\n---\n', 'two', 'x'), '---\ntags: one x,three\n---\n');
  assert.equal(renamed('---\ntags: [a\n---\n#a', 'a', 'x'), '---\ntags: [a\n---\n#x');
});

test('isTagName accepts names of tags only', () => {
  for (const name of ['a', 'a/b', 'über-x', '東京', '2024a']) assert.ok(isTagName(name), name);
  for (const name of ['', '#a', 'a b', '2024', 'a//b', 'a/', 'null', 'a,b']) assert.ok(!isTagName(name), name);
});

const mentioned = (content: string, ...names: string[]) =>
  mentionsIn(content, names).map(({ start, end }) => `${start} ${content.slice(start, end)}`);

test('mentionsIn finds names as whole words in any case, outside links, code, tags, comments, frontmatter', () => {
  const content = [
    '---',
    'about: Plan',
    '---',
    '# The plan',
    'Plan PLAN planned [[Plan]] [plan](x.md) `plan` #plan #a/plan https://plan.com/Plan plan',
    '',
    '    plan',
    '',
    '%% plan %% <b title="plan">plan</b> $plan$ [plan][ref] [plan]',
    '',
    '| a | plan |',
    '| - | - |',
    '| plan | b |',
    '',
    '[ref]: plan.md',
  ].join('\n');
  const found = mentionsIn(content, ['Plan']);
  assert.equal(
    found
      .reverse()
      .reduce(
        (text, { start, end, inTable }) => `${text.slice(0, start)}${inTable ? '{}' : '<>'}${text.slice(end)}`,
        content,
      ),
    content
      .replace('# The plan', '# The <>')
      .replace('Plan PLAN planned', '<> <> planned')
      .replace('Plan plan\n', 'Plan <>\n')
      .replace('">plan</b>', '"><></b>')
      .replace('[plan]\n', '[<>]\n')
      .replace('| a | plan |', '| a | {} |')
      .replace('| plan | b |', '| {} | b |'),
  );
});

test('mentionsIn prefers the longest name, and finds names in scripts without blanks', () => {
  assert.deepEqual(mentioned('New York is new', 'New', 'New York'), ['0 New York', '12 new']);
  assert.deepEqual(mentioned('私は東京都に住む', '東京'), ['2 東京']);
  assert.deepEqual(mentioned('Straße und ÉTÉ', 'été', 'strasse'), ['11 ÉTÉ']);
  assert.deepEqual(mentioned('> quoted plan\n> and plan', 'plan'), ['9 plan', '20 plan']);
  assert.deepEqual(mentionNames('A', ['Ab', 'AB', ' x ', '東京']), ['AB', '東京']);
});

test('mentionsIn takes linear time for many names and marks', () => {
  for (const content of [
    'plan '.repeat(200_000),
    'e\u0301'.repeat(200_000),
    `${'x'.repeat(500_000)} `,
    '[plan '.repeat(50_000),
    `x://${'plan,'.repeat(200_000)}`,
  ]) {
    const ms = processorMs(() => mentionsIn(content, ['plan', 'e', 'x']));
    assert.ok(ms < 4000, `${content.slice(0, 10)}: ${ms} ms`);
  }
});
