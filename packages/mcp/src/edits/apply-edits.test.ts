import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { applyNoteEdits } from './apply-edits.ts';
import { EditFailure, type NoteEdit } from './edit.ts';

const NOTE = `---
title: Plan
tags: [a, b] # kept
nested:
  deep: 1
---
# Plan

Intro.

## Week 1

- one

### Details

deep

## Week 2

- two
`;

function edited(edit: NoteEdit, content = NOTE): string {
  return applyNoteEdits(content, [edit]);
}

function failure(edit: NoteEdit, content = NOTE): EditFailure {
  try {
    edited(edit, content);
  } catch (error) {
    if (error instanceof EditFailure) return error;
    throw error;
  }
  return assert.fail('the edit was applied');
}

test('replace_text replaces a text that occurs as often as expected', () => {
  assert.equal(edited({ op: 'replace_text', old_text: '- one', new_text: '- won' }), NOTE.replace('- one', '- won'));
  assert.equal(
    edited({ op: 'replace_text', old_text: '## ', new_text: '## $& ', expected_replacements: 3 }).split('## $& ')
      .length,
    4,
  );
});

test('replace_text refuses a text that occurs more often, less often or not at all', () => {
  const often = failure({ op: 'replace_text', old_text: 'Week', new_text: 'x' });
  assert.match(often.message, /2 times, but 1 was expected/);
  assert.deepEqual(often.candidates, ['line 11: ## Week 1', 'line 19: ## Week 2']);
  assert.match(
    failure({ op: 'replace_text', old_text: 'Intro', new_text: 'x', expected_replacements: 2 }).message,
    /once/,
  );
  const none = failure({ op: 'replace_text', old_text: 'Introduction.', new_text: 'x' });
  assert.deepEqual(none.candidates, ['line 9: Intro.']);
});

test('replace_text finds line feeds of the caller in a note with CRLF, and writes CRLF', () => {
  assert.equal(
    edited({ op: 'replace_text', old_text: 'a\nb', new_text: 'c\nd' }, 'x\r\na\r\nb\r\n'),
    'x\r\nc\r\nd\r\n',
  );
});

test('replace_section keeps the heading, the other sections and the blank lines between them', () => {
  assert.equal(
    edited({ op: 'replace_section', heading: 'Plan > Week 1', text: '- three' }),
    NOTE.replace('- one\n\n### Details\n\ndeep\n', '- three\n'),
  );
});

test('replace_section does not repeat a heading that the text begins with', () => {
  const result = edited({ op: 'replace_section', heading: 'Week 2', text: '## Week 2\n\n- done\n' });
  assert.equal(result, NOTE.replace('- two\n', '- done\n'));
});

test('insert_before and insert_after put lines around a whole section', () => {
  assert.match(edited({ op: 'insert_before', heading: 'Week 2', text: '## New' }), /deep\n\n## New\n\n## Week 2\n/);
  assert.match(edited({ op: 'insert_after', heading: 'Week 1', text: '## New' }), /deep\n\n## New\n\n## Week 2\n/);
  assert.match(edited({ op: 'insert_after', heading: 'Week 2', text: '## New' }), /- two\n## New\n$/);
});

test('append and prepend put lines inside a section, or at the ends of the note', () => {
  assert.match(edited({ op: 'append', heading: 'Details', text: 'deeper' }), /\ndeep\ndeeper\n\n## Week 2/);
  assert.match(edited({ op: 'prepend', heading: 'Week 2', text: '- first' }), /## Week 2\n\n- first\n- two\n$/);
  assert.match(edited({ op: 'append', text: 'End' }), /- two\nEnd\n$/);
  assert.match(edited({ op: 'prepend', text: 'Start' }), /\n---\nStart\n# Plan/);
  assert.equal(edited({ op: 'append', text: 'x' }, ''), 'x\n');
  assert.equal(edited({ op: 'append', heading: 'A', text: 'x' }, '# A'), '# A\n\nx\n');
  assert.equal(edited({ op: 'append', heading: 'A', text: 'x' }, '# A\r\n\r\ny\r\n'), '# A\r\n\r\ny\r\nx\r\n');
});

test('a heading path is accepted with or without marks, in any case, and by its end alone', () => {
  for (const heading of [
    'Plan > Week 1 > Details',
    '# Plan > ## Week 1 > ### Details',
    'details',
    '### Details ###',
    'week 1 > Details',
  ]) {
    assert.match(edited({ op: 'append', heading, text: 'X' }), /deep\nX\n/, heading);
  }
});

test('an ambiguous or unknown heading is refused with candidates, which are accepted', () => {
  const twice = '# Log\n\n## Day\n\na\n\n## Day\n\nb\n\n# Other\n\n## Day\n\nc\n';
  const ambiguous = failure({ op: 'append', heading: 'Day', text: 'X' }, twice);
  assert.deepEqual(ambiguous.candidates, ['Log > Day [1] (line 3)', 'Log > Day [2] (line 7)', 'Other > Day (line 13)']);
  assert.match(edited({ op: 'append', heading: 'Log > Day [1]', text: 'X' }, twice), /\na\nX\n/);
  assert.match(edited({ op: 'append', heading: 'Log > Day [2]', text: 'X' }, twice), /\nb\nX\n/);
  assert.match(edited({ op: 'append', heading: 'Other > Day', text: 'X' }, twice), /\nc\nX\n/);
  assert.equal(failure({ op: 'append', heading: 'Log > Day', text: 'X' }, twice).candidates.length, 2);
  const unknown = failure({ op: 'append', heading: 'Week 3', text: 'X' });
  assert.deepEqual(unknown.candidates.slice(0, 2), ['Plan > Week 1 (line 11)', 'Plan > Week 2 (line 19)']);
});

test('a heading inside code is no section', () => {
  const failed = failure({ op: 'append', heading: 'Not', text: 'X' }, '# A\n\n```\n# Not\n```\n');
  assert.match(failed.message, /No heading matches/);
});

test('set_property writes one key and keeps every other letter of the frontmatter', () => {
  assert.equal(
    edited({ op: 'set_property', key: 'title', value: 'New: plan' }),
    NOTE.replace('title: Plan', 'title: "New: plan"'),
  );
  assert.equal(
    edited({ op: 'set_property', key: 'nested', value: ['x', 'y'] }),
    NOTE.replace('nested:\n  deep: 1', 'nested:\n  - x\n  - y'),
  );
  assert.equal(
    edited({ op: 'set_property', key: 'done', value: true }),
    NOTE.replace('  deep: 1\n', '  deep: 1\ndone: true\n'),
  );
  assert.equal(edited({ op: 'set_property', key: 'a', value: null }, '# X\n'), '---\na: null\n---\n# X\n');
  assert.equal(
    edited({ op: 'set_property', key: 'b', value: 2 }, '---\r\na: 1\r\n---\r\nx'),
    '---\r\na: 1\r\nb: 2\r\n---\r\nx',
  );
});

test('remove_property removes one key with its value', () => {
  assert.equal(edited({ op: 'remove_property', key: 'nested' }), NOTE.replace('nested:\n  deep: 1\n', ''));
  assert.equal(edited({ op: 'remove_property', key: 'tags' }), NOTE.replace('tags: [a, b] # kept\n', ''));
  assert.deepEqual(failure({ op: 'remove_property', key: 'Title' }).candidates, ['title', 'tags', 'nested']);
});

test('a frontmatter that is not a plain mapping, or whose other keys would change, is left alone', () => {
  assert.match(
    failure({ op: 'set_property', key: 'a', value: 1 }, '---\n{a: 1, b: 2}\n---\n').message,
    /one key a line/,
  );
  assert.match(failure({ op: 'set_property', key: 'a', value: 1 }, '---\na: [\n---\n').message, /one key a line/);
  assert.match(
    failure({ op: 'set_property', key: 'a', value: 1 }, '---\na: &x 5\nb: *x\n---\n').message,
    /without changing other keys/,
  );
  assert.match(failure({ op: 'set_property', key: 'a', value: 1 }, '---\na: 1\n').message, /not closed/);
});

test('several edits are applied one after the other, or none of them', () => {
  const edits: NoteEdit[] = [
    { op: 'insert_after', heading: 'Week 2', text: '## Week 3\n' },
    { op: 'append', heading: 'Week 3', text: '- three' },
  ];
  assert.match(applyNoteEdits(NOTE, edits), /## Week 3\n\n- three\n$/);
  assert.throws(() => applyNoteEdits(NOTE, [...edits, { op: 'append', heading: 'None', text: '' }]), /Edit 3 of 3/);
});

test('applyNoteEdits refuses what would make a note too long, before it makes the text', () => {
  const kilobyte = 'a'.repeat(1000);
  const double: NoteEdit = { op: 'replace_text', old_text: kilobyte, new_text: kilobyte + kilobyte };
  const edits = Array.from({ length: 40 }, (_, at) => ({ ...double, expected_replacements: 2 ** at }));
  assert.throws(() => applyNoteEdits(kilobyte, edits), /Edit 14 of 40: The note would be over 10 MB/);
  const huge: NoteEdit = {
    op: 'replace_text',
    old_text: 'a',
    new_text: 'b'.repeat(9_000_000),
    expected_replacements: 1000,
  };
  assert.throws(() => applyNoteEdits(kilobyte, [huge]), /over 10 MB/);
  const appended: NoteEdit = { op: 'append', text: 'c'.repeat(10 * MB) };
  assert.throws(() => applyNoteEdits('a', [appended]), /over 10 MB/);
});
