import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tasksOf, withTaskState } from '../src/tasks.ts';
import { processorMs } from './processor.ts';

const short = (content: string) => tasksOf(content).map(({ line, state, text }) => `${line} ${state} ${text}`);

test('tasksOf reads list items with a box, nested, ordered and quoted ones too', () => {
  const content = [
    '---',
    'list: "- [ ] no"',
    '---',
    '- [ ] one',
    '  * [x] two',
    '    1. [X] three',
    '> + [ ] four',
    '7) [/] five',
    '- [-] six',
    '-   [ ]   seven  ',
    '- plain',
    '[ ] no item',
    '- [ ]no space',
    '- [xx] two marks',
    '- [a](b) link',
  ].join('\n');
  assert.deepEqual(short(content), [
    '4 open one',
    '5 done two',
    '6 done three',
    '7 open four',
    '8 open five',
    '9 done six',
    '10 open seven',
  ]);
});

test('tasksOf leaves out boxes in code, comments, the frontmatter, footnotes and later paragraphs', () => {
  const content = [
    '---',
    '- [ ] frontmatter',
    '---',
    '```',
    '- [ ] fenced',
    '```',
    '',
    '    - [ ] indented',
    '',
    '%%',
    '- [ ] hidden',
    '%%',
    '<!--',
    '- [ ] comment',
    '-->',
    '',
    '[^1]: [ ] footnote',
    '',
    '- item',
    '',
    '  [ ] second paragraph',
  ].join('\n');
  assert.deepEqual(short(content), []);
});

test('tasksOf counts lines that end in CRLF or CR', () => {
  assert.deepEqual(short('a\r\n- [ ] b\r- [x] c\n\r\n- [ ] d'), ['2 open b', '3 done c', '5 open d']);
});

test('tasksOf reads the first valid due date of a task, and its tags outside code', () => {
  const one = (text: string) => tasksOf(`- [ ] ${text}`)[0];
  assert.equal(one('pay 📅 2026-12-01')?.due, '2026-12-01');
  assert.equal(one('pay 📅\ufe0f 2026-12-01 ✅ 2026-12-02')?.due, '2026-12-01');
  assert.equal(one('pay due:: 2026-12-01')?.due, '2026-12-01');
  assert.equal(one('pay [due:: 2026-12-01]')?.due, '2026-12-01');
  assert.equal(one('pay due:: 2026-02-30 📅 2026-03-01')?.due, '2026-03-01');
  assert.equal(one('overdue:: 2026-12-01')?.due, null);
  assert.equal(one('⏳ 2026-12-01')?.due, null);
  assert.equal(one('📅 2026-12-011')?.due, null);
  assert.deepEqual(one('call #home/garden `#code` a#b')?.tags, ['home/garden']);
});

test('withTaskState changes the mark of a task and nothing else', () => {
  const content = 'a\r\n- [ ] b [ ]\r\n- [-] c';
  const [b, c] = tasksOf(content);
  assert.ok(b && c);
  assert.equal(withTaskState(content, b, 'done'), 'a\r\n- [x] b [ ]\r\n- [-] c');
  assert.equal(withTaskState(content, b, 'open'), content);
  assert.equal(withTaskState(content, c, 'open'), 'a\r\n- [ ] b [ ]\r\n- [ ] c');
});

test('tasksOf takes linear time for boxes, dates and line ends', () => {
  const hostile = ['- [ ] '.repeat(200_000), `- [ ] ${'due:: '.repeat(200_000)}`, '- [ ] a\r'.repeat(100_000)];
  for (const content of hostile) {
    const ms = processorMs(() => tasksOf(content));
    assert.ok(ms < 3000, `${content.slice(0, 12)}: ${ms} ms`);
  }
});
