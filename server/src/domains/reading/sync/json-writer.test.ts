import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeJsonList, writeJsonObject } from './json-writer.ts';

const written = async (rows: readonly unknown[], isLong: (row: unknown) => boolean) => {
  const list = await writeJsonList('rows', rows, (row) => {
    const json = JSON.stringify(row);
    const middle = Math.floor(json.length / 2);
    const halves = [json.slice(0, middle), json.slice(middle)].map((half) => Buffer.from(half));
    return isLong(row) ? Promise.resolve(halves) : json;
  });
  return { list, value: JSON.parse(Buffer.concat(writeJsonObject({ more: false }, [list])).toString('utf8')) };
};

test('a list is written as its rows in order, whether an entry is one text or several pieces', async () => {
  const rows = ['a', 'ü', 'long 1', 'long 2', '“quoted” \n', 'long 3'];
  for (const count of [0, 1, 2, 3, 4, 5, 6]) {
    const some = rows.slice(0, count);
    const { value } = await written(some, (row) => String(row).startsWith('long'));
    assert.deepEqual(value, { more: false, rows: some });
  }
});

test('a long list is written in pieces of bounded length', async () => {
  const rows = Array.from({ length: 5000 }, (_, index) => ({ index, path: `folder/note ${index}.md` }));
  const { list, value } = await written(rows, () => false);
  assert.deepEqual(value.rows, rows);
  assert.ok(list.length > 3);
  assert.ok(list.every((piece) => piece.length < 64 * 1024));
});
