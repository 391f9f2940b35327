import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import type { Answer, Caller } from '../kit/person.ts';
import { startServe } from '../kit/programs/process.ts';
import { SmallDisk } from '../kit/programs/small-disk.ts';
import { aliceAt, bearer, tokenAt } from '../kit/signed-in.ts';
import { until } from '../kit/until.ts';

const SIZE_MB = 48;
/** What notes may fill before the disk is full. */
const LEFT_BYTES = 6_000_000;
const WRITERS = 8;

/** Writes notes until the disk is full; returns the text of each that was acknowledged. */
async function writeUntilFull(alice: Caller): Promise<{ kept: Map<string, string>; refusal: Answer }> {
  const kept = new Map<string, string>();
  let refusal: Answer | null = null;
  const writer = async (name: number) => {
    for (let count = 0; refusal === null; count++) {
      const [path, content] = [`${name}/${count}.md`, `${name} ${count} ${'text '.repeat(1500)}`];
      const answer = await alice.post('/notes', { path, content, mtime: 1 });
      if (answer.status === 200) kept.set(path, content);
      else refusal = answer;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, name) => writer(name)));
  assert.ok(refusal !== null);
  return { kept, refusal };
}

async function checkKept(alice: Caller, kept: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, content] of kept) {
    const { status, body } = await alice.get(`/notes/${path}`);
    assert.deepEqual([status, body.content], [200, content], path);
  }
}

const skip = SmallDisk.isMissing('a disk that is really full');

test('a server whose disk is really full loses nothing acknowledged, reads on, starts again, and goes on when there is room', {
  skip,
}, async () => {
  using disk = SmallDisk.mount(SIZE_MB);
  const env = { NOTEVAULT_DATA_DIR: `${disk.path}/data`, NOTEVAULT_LOG_LEVEL: 'fatal' };
  const ballast = `${disk.path}/ballast`;
  const kept = new Map<string, string>();
  let token = '';
  {
    await using server = await startServe({ env });
    token = await tokenAt(server.url);
    const alice = bearer(server.url, token);
    await alice.post('/vaults', { name: 'Diary' });
    disk.fill(ballast, LEFT_BYTES);
    const written = await writeUntilFull(alice);
    for (const [path, content] of written.kept) kept.set(path, content);
    assert.ok(kept.size > 10, `${kept.size}`);
    assert.deepEqual([written.refusal.status, written.refusal.body.error], [503, 'storage_full']);
    assert.ok(Number(written.refusal.headers.get('retry-after')) > 0);
    await checkKept(alice, kept);
    // What it says of the disk depends on the last write, and a small one may still fit.
    assert.equal((await fetch(`${server.url}/readyz`)).status, 200);

    rmSync(ballast);
    const again = { path: 'again.md', content: 'there is room', mtime: 1 };
    await until(async () => (await alice.post('/notes', again)).status === 200, 'a write when there is room');
    kept.set(again.path, again.content);
    disk.fill(ballast, 0);
    await server.kill();
  }
  {
    await using server = await startServe({ env });
    const alice = bearer(server.url, token);
    await checkKept(alice, kept);
    // The start may have made room in the log of the database.
    const written = await writeUntilFull(alice);
    for (const [path, content] of written.kept) kept.set(path, content);
    assert.deepEqual([written.refusal.status, written.refusal.body.error], [503, 'storage_full']);
  }
  // A start recovers what is in the log of the database.
  rmSync(ballast);
  await using server = await startServe({ env });
  await checkKept(await aliceAt(server.url), kept);
});
