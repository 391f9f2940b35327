import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scan } from '@notevault/note-text/scan.ts';
import { contextOf } from '../src/snippets/context.ts';

/** Returns the context of the first link of a text, with the link in brackets. */
function shown(text: string): string {
  const [link] = scan(text).links;
  assert.ok(link !== undefined, text);
  const { context, context_link: place, offset } = contextOf(text, link);
  assert.equal(offset, link.start);
  assert.ok(context.length <= 200, `${context.length} characters`);
  assert.ok(context.isWellFormed());
  const [begin = 0, end = 0] = place;
  return `${context.slice(0, begin)}<${context.slice(begin, end)}>${context.slice(end)}`;
}

test('contextOf returns the plain paragraph around a link and where the link is', () => {
  assert.equal(shown('See [[Target]].'), 'See <Target>.');
  assert.equal(shown('[[Target]]'), '<Target>');
  assert.equal(shown('a **bold** [shown](Target.md) *end*'), 'a bold <shown> end');
  assert.equal(shown('before\n\n- see [[Target|the alias]], then\n\nafter'), 'see <the alias>, then');
  assert.equal(shown('one line\n[[Target]]\nnext line'), 'one line <Target> next line');
  assert.equal(shown('一行[[目標]]次'), '一行<目標>次');
});

test('contextOf shortens long texts at word boundaries, and gives unused length to the other side', () => {
  const words = 'word '.repeat(100);
  assert.match(shown(`${words}[[Target]] ${words}`), /^…(?:word ){18,19}<Target>(?: word){18,19}…$/);
  assert.match(shown(`[[Target]] ${words}`), /^<Target>(?: word){37,38}…$/);
  assert.match(shown(`${words}[[Target]]`), /^…(?:word ){37,38}<Target>$/);
  assert.match(shown(`${'語'.repeat(300)}[[目標]]${'語'.repeat(300)}`), /^…語{97,98}<目標>語{97,98}…$/);
});

test('contextOf splits no surrogate pair, wherever it cuts', () => {
  for (let pad = 0; pad < 4; pad++) {
    const emoji = `${'a'.repeat(pad)}${'😀'.repeat(150)}`;
    shown(`${emoji}[[Target]]${emoji}`);
    shown(`${emoji} [[${'😀'.repeat(60)}|${'a'.repeat(pad)}${'😀'.repeat(60)}]] ${emoji}`);
  }
});
