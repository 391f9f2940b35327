import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allTools } from './all-tools.ts';
import type { ToolFailure } from './text/answer.ts';

/** Names of acts that change something; a host believes `readOnlyHint` only of a tool without one. */
const ACTS = /^(create|append|edit|set|tag|rename|move|delete|restore|undo)_|_upload_/;

test('a tool says that it only reads exactly if its name has no act in it', () => {
  for (const { name, hints } of allTools) assert.equal(hints.readOnlyHint, !ACTS.test(name), name);
});

test('every tool refuses fields that it does not know', async () => {
  for (const { name, input, call } of allTools) {
    assert.equal((input as { additionalProperties?: unknown }).additionalProperties, false, name);
    const sent = call({ no_such_field: 1 }, undefined as never);
    await assert.rejects(sent, { name: 'ToolFailure' });
  }
});

test('a value that a tool does not know is refused with those that it knows', async () => {
  const edit = allTools.find(({ name }) => name === 'edit_note');
  const call = edit?.call({ path: 'a.md', edits: [{ op: 'replace', text: 'x' }] }, undefined as never);
  await assert.rejects(
    async () => call,
    ({ parts }: ToolFailure) => {
      assert.match(parts.join('\n'), /edits\.0\.op must be equal to one of the allowed values: \w+, /);
      return true;
    },
  );
});
