import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertiesOf } from '../properties.ts';
import { addProperties } from './add-properties.ts';

const ADDED = { title: 'First: note', created: '2021-05-06T07:08:09.000Z', completed: false, tags: ['garden'] };

test('addProperties makes frontmatter where there is none, and nothing of no properties', () => {
  assert.equal(
    addProperties('text', ADDED),
    '---\ntitle: "First: note"\ncreated: 2021-05-06T07:08:09.000Z\ncompleted: false\ntags:\n  - garden\n---\ntext',
  );
  assert.equal(addProperties('---\n\nrule', { due: 'x' }), '---\ndue: x\n---\n---\n\nrule');
  for (const content of ['text', '---\na: 1\n---\n']) assert.equal(addProperties(content, {}), content);
});

test('addProperties keeps the lines and values that are there, and fills keys without a value', () => {
  assert.equal(
    addProperties('---\n# mine\nTitle:   Own\nn: 1.0\n---\ntext', { title: 'Other', created: '2021' }),
    '---\n# mine\nTitle:   Own\nn: 1.0\ncreated: "2021"\n---\ntext',
  );
  assert.equal(addProperties('---\n---\ntext', { title: 'T' }), '---\ntitle: T\n---\ntext');
  assert.equal(addProperties('---\ntitle:\nn: 1.0\n---\n', { title: 'T' }), '---\ntitle: T\nn: 1.0\n---\n');
  assert.equal(addProperties('---\n{ a: 1 }\n---\n', { title: 'T' }), '---\n{ a: 1, title: T }\n---\n');
  assert.equal(addProperties('---\ntitle: a\ntitle: b\n---\n', { title: 'T' }), '---\ntitle: a\ntitle: b\n---\n');
});

test('addProperties joins tags, each once', () => {
  const tagged = (content: string, tags: readonly string[]) =>
    Object.fromEntries(propertiesOf(addProperties(content, { tags })));
  assert.deepEqual(tagged('---\ntags: [a, B]\n---\n', ['b', 'c']), { tags: ['a', 'B', 'c'] });
  assert.deepEqual(tagged('---\nTag: a\n---\n', ['c']), { Tag: ['a', 'c'] });
  assert.equal(addProperties('---\ntags:  [a]\n---\n', { tags: ['A'] }), '---\ntags:  [a]\n---\n');
});

test('addProperties puts frontmatter that cannot be used into the body', () => {
  for (const broken of ['---\na: [\n---\ntext', '---\n- a\n---\n', '---\nopen: 1\ntext']) {
    assert.equal(addProperties(broken, { title: 'T' }), `---\ntitle: T\n---\n${broken}`);
  }
});
