import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeOutTexts, withTexts } from './shared-texts.ts';

const [one, two] = ['1'.repeat(100_000), '2'.repeat(100_000)];
const answers: [string, unknown][] = [
  ['a note', { note: { id: 'a', content: one, links: [{ target: 'b' }], tags: [], type: null } }],
  ['a batch', { results: [{ note: { content: two } }, { error: 'x' }, { note: { content: one } }] }],
  ['a text alone', one],
  ['other texts', { content: `${one}3`, more: 'x'.repeat(99_999) }],
  ['none', null],
  ['a long list', { list: Array.from({ length: 2000 }, (_, at) => ({ at })), content: two }],
];

for (const [name, answer] of answers) {
  test(`takeOutTexts and withTexts restore an answer: ${name}`, () => {
    const before = structuredClone(answer);
    const { body, shared } = takeOutTexts(answer, [one, two]);
    assert.deepEqual(answer, before, 'it is not changed');
    const kept = JSON.stringify({ body, shared });
    assert.ok(!kept.includes(JSON.stringify(one)) && !kept.includes(JSON.stringify(two)));
    const read = JSON.parse(kept);
    assert.deepEqual(withTexts(read.body, read.shared, [one, two]), answer);
  });
}

test('takeOutTexts keeps an answer whole when its request has no long text', () => {
  const answer = { content: one };
  assert.deepEqual(takeOutTexts(answer, []), { body: answer, shared: [] });
});
