import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Frontmatter, readFrontmatter } from '../src/frontmatter.ts';

/** Reads the frontmatter of a note whose YAML has these lines. */
function read(...lines: string[]): Frontmatter {
  return readFrontmatter(['---', ...lines, '---', 'body'].join('\n'));
}

function fault(frontmatter: Frontmatter): unknown[] {
  const { reason } = frontmatter;
  return reason === null ? ['ok'] : [reason.code, reason.detail.key, reason.detail.line, reason.detail.snippet];
}

const day = Date.UTC(2024, 0, 2);

test('a note without frontmatter has status ok', () => {
  for (const content of [
    '',
    'text',
    ' ---\na: b\n---\n',
    '\n---\na: b\n---\n',
    '----\na: b\n----\n',
    '--- a\n---\n',
    '--',
  ]) {
    const { status, reason, bodyStart } = readFrontmatter(content);
    assert.deepEqual([status, reason, bodyStart], ['ok', null, 0], JSON.stringify(content));
  }
});

test('the body begins after the closing line, with LF, CRLF, BOM, trailing spaces, or no body', () => {
  for (const content of ['---\ntitle: T\n---\nB', '---\r\ntitle: T\r\n---\r\nB', '\ufeff--- \ntitle: T\n---\t\nB']) {
    const { status, title, bodyStart } = readFrontmatter(content);
    assert.deepEqual([status, title, content.slice(bodyStart)], ['ok', 'T', 'B'], JSON.stringify(content));
  }
  assert.equal(readFrontmatter('---\ntitle: T\n---').bodyStart, 16);
});

test('frontmatter that is empty or holds only comments has status ok', () => {
  for (const lines of [[], [''], ['# c'], ['~'], ['{}']]) assert.deepEqual(fault(read(...lines)), ['ok'], lines.join());
});

test('text fields are scalars as written, trimmed; empty values are null', () => {
  const { title, description, resource, type } = read(
    'title: " T  x "',
    'description: 007',
    'resource: 1.0',
    'type: true',
  );
  assert.deepEqual([title, description, resource, type], ['T x', '007', '1.0', 'true']);
  const empty = read('title:', 'description: ""', 'resource: ~', 'type: null');
  assert.deepEqual(
    [empty.title, empty.description, empty.resource, empty.type, empty.status],
    [null, null, null, null, 'ok'],
  );
  assert.equal(read('description: |', '  a', '  b').description, 'a\nb');
  assert.equal(read('title: &t x', 'description: *t').description, 'x');
});

test('dates and date-times are read in UTC unless they name a zone', () => {
  const moments: Record<string, number> = {
    '2024-01-02': day,
    '"2024-1-2"': day,
    '2024-01-02T03:04': day + 184 * 60_000,
    '2024-01-02 03:04:05': day + 184 * 60_000 + 5_000,
    '2024-01-02T03:04:05.678Z': day + 184 * 60_000 + 5_678,
    '2024-01-02T03:04:05.6789123+05:30': day - 146 * 60_000 + 5_678,
    '2024-01-02T03:04-0100': day + 244 * 60_000,
    '2024-01-02 03:04:05 +2': day + 64 * 60_000 + 5_000,
    '0001-01-01': -62_135_596_800_000,
  };
  for (const [written, moment] of Object.entries(moments))
    assert.equal(read(`created: ${written}`).created, moment, written);
});

test('an unreadable date is null and keeps the status ok', () => {
  for (const written of [
    'soon',
    '2024-02-30',
    '2024-13-01',
    '2024-01-02T24:00',
    '1704153600',
    '[2024-01-02]',
    '',
    '{{date}}',
  ]) {
    const { created, status } = read(`created: ${written}`);
    assert.deepEqual([created, status], [null, 'ok'], written);
  }
});

test('times have alternative keys, of which the first readable one counts', () => {
  assert.equal(read('date: 2024-01-02').created, day);
  assert.equal(read('created: soon', 'date: 2024-01-02').created, day);
  assert.equal(read('date: 2020-01-01', 'created: 2024-01-02').created, day);
  for (const key of ['timestamp', 'modified', 'updated']) assert.equal(read(`${key}: 2024-01-02`).timestamp, day, key);
});

test('tags are a list, or a string split at commas and spaces', () => {
  assert.deepEqual(read('tags: [a, "#b/c", 2024, null]').tags, ['a', 'b/c', '2024']);
  assert.deepEqual(read('tags:', '  - a', '  - b').tags, ['a', 'b']);
  assert.deepEqual(read('tags: a, #b  c').tags, ['a']);
  assert.deepEqual(read('tags: "a, #b  c,,d"', 'tag: e').tags, ['a', 'b', 'c', 'd', 'e']);
  assert.deepEqual(read('tags:').tags, []);
});

test('aliases are a list, or a string split at commas', () => {
  assert.deepEqual(read('aliases: [A b, "C, d", A b]').aliases, ['A b', 'C, d']);
  assert.deepEqual(read('aliases: A b, C').aliases, ['A b', 'C']);
});

test('a frontmatter value that is one wikilink is a link, also in lists and nested values', () => {
  const content = [
    '---',
    'up: "[[A#h|x]]"',
    "rel: ['[[B]]', 'see [[C]]', plain]",
    'deep: {er: "[[\\u0044/d\\"e]]"}',
    'block: >-',
    '  [[E]]',
    'bare: [[F]]',
    'two: "[[G]] [[H]]"',
    'table: "[[I\\\\|y]]"',
    '---',
    '',
  ].join('\r\n');
  const shown = readFrontmatter(content).links.map((link) => [
    link.form,
    link.target,
    link.anchor,
    link.alias,
    content.slice(link.start, link.end),
    content.slice(link.targetStart, link.targetEnd),
  ]);
  assert.deepEqual(shown, [
    ['property', 'A', 'h', 'x', '[[A#h|x]]', 'A#h'],
    ['property', 'B', null, null, '[[B]]', 'B'],
    ['property', 'D/d"e', null, null, '[[\\u0044/d\\"e]]', '\\u0044/d\\"e'],
    ['property', 'E', null, null, '[[E]]', 'E'],
    ['property', 'I', null, 'y', '[[I\\\\|y]]', 'I'],
  ]);
});

test('an opening line that is never closed is unterminated frontmatter, and the whole note is body', () => {
  for (const content of ['---\ntitle: T\n', '---\ntitle: T\n--- x\n', '---\r\ntext']) {
    const frontmatter = readFrontmatter(content);
    assert.deepEqual(fault(frontmatter), ['unterminated', null, 1, '---']);
    assert.deepEqual([frontmatter.title, frontmatter.bodyStart], [null, 0]);
  }
});

test('a thematic break at the top, before a blank line or the end, is not frontmatter', () => {
  for (const content of ['---', '---\n', '---\n\ntext', '---\r\n\r\na: b']) {
    assert.deepEqual(fault(readFrontmatter(content)), ['ok'], JSON.stringify(content));
  }
});

test('invalid YAML is degraded and reported by its key, never by its value', () => {
  const broken = read('title: T', 'secret: "hunter2', 'other: x');
  assert.equal(broken.reason?.code, 'yaml_syntax');
  assert.doesNotMatch(JSON.stringify(broken.reason), /hunter2/);
  assert.deepEqual(fault(read('title: T', 'a: b: c')), ['yaml_syntax', 'a', 3, 'a:']);
  assert.deepEqual(fault(read('a: *missing')), ['yaml_syntax', 'a', 2, 'a:']);
  assert.equal(broken.title, null);
  assert.equal(broken.bodyStart, '---\ntitle: T\nsecret: "hunter2\nother: x\n---\n'.length);
});

test('YAML that is not a mapping is degraded', () => {
  for (const line of ['just text', '- a', '[a]', '42'])
    assert.deepEqual(fault(read(line)), ['not_a_mapping', null, 2, '---'], line);
});

test('a duplicate key is degraded and has no value; the other keys count', () => {
  const twice = read('title: A', 'type: t', 'title: B');
  assert.deepEqual(fault(twice), ['duplicate_key', 'title', 4, 'title:']);
  assert.deepEqual([twice.title, twice.type], [null, 't']);
  assert.deepEqual(fault(read('a:', '  b: 1', '  b: 2')), ['duplicate_key', 'b', 4, 'b:']);
});

test('a value of the wrong kind is degraded and not used; the other keys count', () => {
  for (const key of ['title', 'description', 'resource', 'type']) {
    for (const value of ['[a]', '{a: b}'])
      assert.deepEqual(fault(read('x: y', `${key}: ${value}`)), ['bad_value', key, 3, `${key}:`]);
  }
  for (const key of ['tags', 'tag', 'aliases']) {
    for (const value of ['{a: b}', '[[a]]'])
      assert.deepEqual(fault(read(`${key}: ${value}`)), ['bad_value', key, 2, `${key}:`]);
  }
  const mixed = read('title: {a: b}', 'tags: [a, {b: c}]', 'type: t');
  assert.deepEqual([mixed.title, mixed.tags, mixed.type, mixed.reason?.detail.key], [null, ['a'], 't', 'title']);
});

test('frontmatter is limited to 64 KB of UTF-8 and 500 keys', () => {
  const size = 64 * 1024;
  assert.deepEqual(fault(readFrontmatter(`---\na: ${'x'.repeat(size - 4)}\n---\n`)), ['ok']);
  assert.deepEqual(fault(readFrontmatter(`---\na: ${'x'.repeat(size - 3)}\n---\n`)), ['too_large', null, 2, '---']);
  assert.equal(fault(readFrontmatter(`---\na: ${'\u3042'.repeat(size / 3)}\n---\n`))[0], 'too_large');
  const keys = (count: number) => Array.from({ length: count }, (_, i) => `k${i}: v`);
  assert.deepEqual(fault(read(...keys(500))), ['ok']);
  assert.equal(fault(read(...keys(501)))[0], 'too_large');
});

test('long lists and blank lines in frontmatter are not errors', () => {
  const names = Array.from({ length: 3_000 }, (_, i) => `  - n${i}`);
  assert.equal(read('aliases:', ...names).aliases.length, 3_000);
  const spaced = readFrontmatter(`---\na: b\n${'\n'.repeat(60_000)}title: T\nup: "[[A]]"\n---\n`);
  assert.deepEqual([spaced.status, spaced.title], ['ok', 'T']);
  assert.equal(spaced.links[0]?.targetStart, 4 + 5 + 60_000 + 9 + 7);
});

test('YAML aliases are not expanded, so that an alias bomb stays small', () => {
  const bomb = [
    'a: &a [x, x]',
    ...Array.from('bcdefghijkl', (c, i) => `${c}: &${c} [${`*${'abcdefghijk'[i]},`.repeat(9)}]`),
  ];
  assert.deepEqual(fault(read(...bomb, 'tags: *a')), ['ok']);
  assert.deepEqual(read(...bomb, 'tags: *a').tags, ['x', 'x']);
});

test('YAML escapes cannot produce characters that stored text must not contain', () => {
  assert.equal(read('title: "a\\0b\\ud800c"').title, 'a\ufffdb\ufffdc');
});
