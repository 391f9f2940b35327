import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TreeIndex } from '../data/tree/tree-index.ts';
import { dailyPath, dayBeside, dayOfNote, daysIn } from './days.ts';

const paths = ['Log/2026-11-25.md', 'Log/2026-02-01.md', 'Log/2026-13-01.md', 'Log/Ideas.md', '2026-11-26.md'];
const notes = paths.map((path) => ({ id: path, path, title: '', version: 1, updated_at: '', content_hash: '' }));
const tree = { change_seq: 1, folders: [], notes, attachments: [] } as unknown as ConstructorParameters<
  typeof TreeIndex
>[0];
const days = daysIn(new TreeIndex(tree, () => 0), 'Log');

test('daily notes are those of their folder that are called like a day, in order', () => {
  assert.deepEqual([...days.keys()], ['2026-02-01', '2026-11-25']);
  assert.equal(dailyPath('Log', '2026-02-01'), days.get('2026-02-01'));
  assert.equal(dailyPath('', '2026-02-01'), '2026-02-01.md');
});

test('the daily note before or after a day is the next one that there is', () => {
  assert.equal(dayBeside(days, '2026-11-25', -1), '2026-02-01');
  assert.equal(dayBeside(days, '2026-06-01', 1), '2026-11-25');
  assert.equal(dayBeside(days, '2026-11-25', 1), undefined);
  assert.equal(dayOfNote(days, 'Log/2026-11-25.md'), '2026-11-25');
  assert.equal(dayOfNote(days, 'Log/Ideas.md'), null);
});
