import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entry, fromBufferPromise } from 'yauzl';
import { storedZip, type ZipInput } from './stored-zip.ts';

const signal = new AbortController().signal;
const CHANGED = Date.parse('2024-02-29T12:34:57Z');

function input(path: string, text: string): ZipInput {
  return { path, file: new File([text], path, { lastModified: CHANGED }) };
}

async function unzip(files: readonly ZipInput[]) {
  const zip = await storedZip(files, { signal, onProgress: () => undefined });
  const opened = await fromBufferPromise(Buffer.from(await zip.arrayBuffer()), { lazyEntries: true });
  const entries: { entry: Entry; text: string }[] = [];
  for await (const entry of opened.eachEntry()) {
    const pieces: Buffer[] = [];
    for await (const piece of await opened.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
    entries.push({ entry, text: Buffer.concat(pieces).toString() });
  }
  return entries;
}

test('storedZip makes a zip that others read: names in all scripts, bytes, checksums, times to the second', async () => {
  const entries = await unzip([input('Garden/Beans.md', '# Beans\n'), input('庭/豆 ü.md', ''), input('a.txt', 'a')]);
  assert.deepEqual(
    entries.map(({ entry, text }) => [entry.fileName, text]),
    [
      ['Garden/Beans.md', '# Beans\n'],
      ['庭/豆 ü.md', ''],
      ['a.txt', 'a'],
    ],
  );
  assert.deepEqual(
    entries.map(({ entry }) => entry.getLastModDate().getTime()),
    [CHANGED, CHANGED, CHANGED],
  );
  // The checksum of "a" by other programs.
  assert.equal(entries[2]?.entry.crc32, 0xe8b7be43);
});

test('storedZip lists more files than the first format of zips could count', async () => {
  const file = new File([], 'empty', { lastModified: CHANGED });
  const files = Array.from({ length: 66_000 }, (_, index) => ({ path: `${index}.md`, file }));
  const zip = await storedZip(files, { signal, onProgress: () => undefined });
  const opened = await fromBufferPromise(Buffer.from(await zip.arrayBuffer()), { lazyEntries: true });
  assert.equal(opened.entryCount, 66_000);
  let last = '';
  for await (const entry of opened.eachEntry()) last = entry.fileName;
  assert.equal(last, '65999.md');
});

test('storedZip reports each file that it has read, and stops when it is aborted', async () => {
  const read: number[] = [];
  await storedZip([input('a.md', 'a'), input('b.md', 'b')], { signal, onProgress: (count) => read.push(count) });
  assert.deepEqual(read, [1, 2]);
  const reason = new Error('stop');
  const aborted = storedZip([input('a.md', 'a')], { signal: AbortSignal.abort(reason), onProgress: () => undefined });
  await assert.rejects(aborted, reason);
});
