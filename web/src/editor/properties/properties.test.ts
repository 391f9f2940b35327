import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import {
  addItem,
  addProperty,
  applyEdit,
  removeItem,
  removeProperty,
  renameProperty,
  setItem,
  setValue,
  type YamlEdit,
} from './edits.ts';
import { type Property, readProperties } from './model.ts';

const YAML = `# a comment
title: A "plain" one  # kept
'quoted': 'it''s'
double: "two\\twords"
count: 12
done: false
day: 2026-11-22
tags: [one, 'two', "three"]
aliases:
  - first
  - "second"   # kept too
empty:
nested:
  a: 1
block: |
  text
last: end`;

function property(yaml: string, key: string): Property {
  const found = readProperties(yaml)?.find((one) => one.key === key);
  assert.ok(found, key);
  return found;
}

function applied(yaml: string, edit: YamlEdit | null): string {
  assert.ok(edit !== null);
  return applyEdit(yaml, edit);
}

test('readProperties knows the kinds of values', () => {
  const kinds = readProperties(YAML)?.map(({ key, kind }) => `${key} ${kind}`);
  assert.deepEqual(kinds, [
    ...['title text', 'quoted text', 'double text', 'count number', 'done checkbox', 'day date', 'tags list'],
    ...['aliases list', 'empty text', 'nested other', 'block other', 'last text'],
  ]);
});

test('readProperties returns null for what is no mapping of single keys', () => {
  for (const yaml of ['- a', 'a: 1\na: 2', 'a: [', '{a: 1}', '"x']) assert.equal(readProperties(yaml), null, yaml);
  assert.deepEqual(readProperties(''), []);
});

test('setting a value keeps its quotes, the comment and every other line', () => {
  assert.equal(applied(YAML, setValue(property(YAML, 'quoted'), "isn't")), YAML.replace("'it''s'", "'isn''t'"));
  assert.equal(applied(YAML, setValue(property(YAML, 'title'), 'B')), YAML.replace('A "plain" one', 'B'));
  assert.equal(applied(YAML, setValue(property(YAML, 'title'), 'a: b')), YAML.replace('A "plain" one', '"a: b"'));
  assert.equal(applied(YAML, setValue(property(YAML, 'empty'), 'x')), YAML.replace('empty:', 'empty: x'));
});

test('lists keep their style when items are set, added and removed', () => {
  const tags = property(YAML, 'tags');
  assert.equal(applied(YAML, setItem(tags, 1, 'zwei')), YAML.replace("'two'", "'zwei'"));
  assert.equal(applied(YAML, addItem(YAML, tags, 'a, b')), YAML.replace('"three"]', '"three", "a, b"]'));
  assert.equal(applied(YAML, removeItem(YAML, tags, 0)), YAML.replace('one, ', ''));
  const aliases = property(YAML, 'aliases');
  assert.equal(applied(YAML, addItem(YAML, aliases, 'x')), YAML.replace('# kept too', '# kept too\n  - "x"'));
  assert.equal(applied(YAML, removeItem(YAML, aliases, 0)), YAML.replace('  - first\n', ''));
  const once = 'a:\n  - b\nc: 1';
  assert.equal(applied(once, removeItem(once, property(once, 'a'), 0)), 'a: []\nc: 1');
  assert.equal(applied('a: []', addItem('a: []', property('a: []', 'a'), 'x')), 'a: [x]');
});

test('properties are added, renamed and removed with their lines', () => {
  assert.equal(applied(YAML, addProperty(YAML, 'new')), `${YAML}\nnew:\n`);
  assert.equal(addProperty(YAML, 'title'), null);
  assert.equal(applied(YAML, renameProperty(YAML, property(YAML, 'count'), 'sum')), YAML.replace('count', 'sum'));
  assert.equal(renameProperty(YAML, property(YAML, 'count'), 'title'), null);
  assert.equal(
    applied(YAML, removeProperty(property(YAML, 'aliases'))),
    YAML.replace('aliases:\n  - first\n  - "second"   # kept too\n', ''),
  );
});

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    'true',
    '12',
    '1e3',
    'null',
    '~',
    '- a',
    '# c',
    'a: b',
    "it's",
    '"q"',
    '[x]',
    '{',
    '@',
    '',
    ' ',
    'a #b',
    '\n',
  ),
);
const styles = fc.constantFrom('k: old', "k: 'old'", 'k: "old"', 'k:', 'k: 5', 'k: true');
const lists = fc.constantFrom('k: [a, b]', "k: ['a', 'b']", 'k:\n  - a\n  - b', 'k:\n- "a"\n- b', 'k: [ a,b ]');

test('a value that was set is read back, whatever it is, and the lines around it stay', () => {
  fc.assert(
    fc.property(styles, text, (line, value) => {
      const yaml = `# top\na: 1 # one\n${line}\nz: [1,  2]\n`;
      const edited = applied(yaml, setValue(property(yaml, 'k'), value));
      assert.ok(edited.startsWith('# top\na: 1 # one\n') && edited.endsWith('\nz: [1,  2]\n'));
      const read = parse(edited).k;
      assert.equal(typeof read === 'number' ? property(edited, 'k').scalar?.text : String(read), value);
    }),
  );
});

test('an item that was set or added is read back, and the others stay', () => {
  fc.assert(
    fc.property(lists, text, (line, value) => {
      const yaml = `a: 1\n${line}\nz: 2\n`;
      const list = property(yaml, 'k');
      const added = applied(yaml, addItem(yaml, list, value));
      assert.deepEqual(
        property(added, 'k').items.map((item) => item.text),
        ['a', 'b', value],
      );
      const set = applied(yaml, setItem(list, 1, value));
      assert.deepEqual(
        property(set, 'k').items.map((item) => item.text),
        ['a', value],
      );
      assert.ok(added.startsWith('a: 1\n') && added.endsWith('\nz: 2\n'));
    }),
  );
});

test('a property that was added and removed leaves the YAML as it was', () => {
  fc.assert(
    fc.property(text, (name) => {
      const yaml = 'a: 1\nb: [x]\n';
      const edit = addProperty(yaml, name);
      if (edit === null) return;
      const added = applyEdit(yaml, edit);
      assert.equal(applyEdit(added, removeProperty(property(added, name.trim()))), yaml);
    }),
  );
});
