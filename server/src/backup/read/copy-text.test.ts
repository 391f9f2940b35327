import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCopyRows } from './copy-text.ts';

async function read(text: string, size: number): Promise<(string | null)[][]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return Array.fromAsync(readCopyRows(chunks()));
}

test('readCopyRows reads nulls, escapes and text of several bytes a letter, wherever the stream is cut', async () => {
  const text = 'a\\tb\t\\N\t\\\\x00ff\n\tc\\nd\\\\N\tÜber 日本\n';
  const rows = [
    ['a\tb', null, '\\x00ff'],
    ['', 'c\nd\\N', 'Über 日本'],
  ];
  for (const size of [1, 2, 3, 7, 100]) assert.deepEqual(await read(text, size), rows, `cut at ${size}`);
});
