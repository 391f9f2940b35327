import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listText } from './list-text.ts';

const read = async (list: unknown) => JSON.parse((await listText(list, async () => undefined)).join(''));

test('a list is read from its text as it was written, in however many pieces', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ path: `Folder/Note "${at}".md`, at }));
  const lists = [
    null,
    [],
    {},
    rows(3),
    { notes: rows(5_000) },
    { folders: [], notes: rows(10_001), files: rows(12_000), seq: 7, gone: undefined },
  ];
  for (const list of lists) assert.deepEqual(await read(list), JSON.parse(JSON.stringify(list)));
});

test('other work is done between the pieces of a long list', async () => {
  const pieces: number[] = [];
  let rows = 0;
  const list = {
    notes: Array.from({ length: 100_000 }, () => ({
      toJSON: () => {
        rows++;
        return 1;
      },
    })),
  };
  await listText(list, async () => {
    pieces.push(rows);
    rows = 0;
  });
  assert.equal(Math.max(...pieces, rows), 5_000);
});
