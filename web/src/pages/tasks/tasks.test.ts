import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '@notevault/protocol/tasks.ts';
import { dueText, groupTasks, shownText, taskKey } from './task-groups.ts';
import { lineOf, movedTask, type TickedTask, withTicked } from './ticked-tasks.ts';

const TODAY = '2026-11-24';

function task(text: string, more: Partial<Task> = {}): Task {
  return { note_id: 'n', path: 'Beds/Spring.md', line: 1, text, state: 'open', due: null, tags: [], ...more };
}

const namesOf = (groups: ReturnType<typeof groupTasks>) =>
  groups.map(({ name, tasks }) => `${name}: ${tasks.map(({ text }) => text).join(' ')}`);

test('groupTasks names what is overdue, due today, this week until Sunday, and later', () => {
  const days = ['2026-11-23', TODAY, '2026-11-29', '2026-11-30', null];
  const groups = groupTasks(
    days.map((due, at) => task(`t${at}`, { due })),
    'due',
    TODAY,
  );
  assert.deepEqual(namesOf(groups), ['overdue: t0', 'today: t1', 'week: t2', 'later: t3', 'none: t4']);
  assert.deepEqual(namesOf(groupTasks([task('t', { due: '2026-11-29' })], 'due', '2026-11-29')), ['today: t']);
});

test('groupTasks puts a task under each of its tags, those without one last, and under its note', () => {
  const tasks = [task('a'), task('b', { tags: ['home', 'garden'] }), task('c', { tags: ['home'], path: 'A.md' })];
  assert.deepEqual(namesOf(groupTasks(tasks, 'tag', TODAY)), ['garden: b', 'home: b c', ': a']);
  assert.deepEqual(namesOf(groupTasks(tasks, 'note', TODAY)), ['A.md: c', 'Beds/Spring.md: a b']);
});

test('dueText says near days by their names', () => {
  const said = ['2026-11-23', TODAY, '2026-11-25', '2026-11-26', '2026-11-20', '2027-01-02'].map((due) =>
    dueText(due, TODAY, 'en'),
  );
  assert.deepEqual(said, ['yesterday', 'today', 'tomorrow', 'Thursday', 'November 20', 'January 2, 2027']);
});

test('shownText leaves out the day and the marks of markdown, but never everything', () => {
  const due = '2026-12-01';
  for (const [text, shown] of [
    ['pay 📅 2026-12-01 #tax', 'pay #tax'],
    ['call [due:: 2026-12-01]', 'call'],
    ['turn the [[Compost|compost]] and [[Soil]]', 'turn the compost and Soil'],
    ['read [this](https://example.org/a_b) **now**, `x`', 'read this now, x'],
    ['📅 2026-12-01', '📅 2026-12-01'],
  ] as const)
    assert.equal(shownText({ text, due }), shown);
  assert.equal(shownText({ text: 'plan 2 ** 3 = 8', due: null }), 'plan 2 ** 3 = 8');
});

test('withTicked keeps what was ticked in its place when the server lists it no more', () => {
  const [a, b, c] = [task('a', { due: '2026-11-20' }), task('b', { line: 2 }), task('c', { line: 3 })];
  const done: TickedTask = { task: { ...b, state: 'done' } };
  const touched = new Map([[taskKey(b), done]]);
  const shown = (listed: Task[]) => withTicked(listed, touched).map(({ text, state }) => `${text} ${state}`);
  assert.deepEqual(shown([a, b, c]), ['a open', 'b done', 'c open']);
  assert.deepEqual(shown([a, c]), ['a open', 'b done', 'c open']);
  assert.deepEqual(shown([]), ['b done']);
  assert.deepEqual(shown([task('', { line: 9 })]), ['b done']);
});

test('movedTask finds the one line that reads like a task, and none where two do', () => {
  const [a, b] = [task('a', { line: 4 }), task('a', { line: 9 })];
  assert.equal(movedTask(task('a'), [a, task('b', { line: 5 })]), 4);
  assert.equal(movedTask(task('a'), [a, b]), null);
  assert.equal(movedTask(task('a'), [{ ...a, state: 'done' }]), null);
  assert.equal(lineOf('one\r\n  - [ ] two\nthree', 2), '- [ ] two');
  assert.equal(lineOf('one', 7), '');
});
