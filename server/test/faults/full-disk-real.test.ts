import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { test } from 'node:test';
import type { Answer, Caller } from '../kit/person.ts';
import { Folder, startServe } from '../kit/programs/process.ts';
import { aliceAt } from '../kit/signed-in.ts';
import { until } from '../kit/until.ts';

const SIZE_MB = 48;
/** What notes may fill before the disk is full. */
const LEFT_BYTES = 6_000_000;
const WRITERS = 8;

/** Writes zeros until the disk is full; returns how many bytes. */
function writeUntilRefused(file: number): number {
  const block = Buffer.alloc(64 * 1024);
  for (let size = 0; ; ) {
    try {
      size += writeSync(file, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return size;
      throw error;
    }
  }
}

/** A disk of its own, of some megabytes. */
class SmallDisk implements Disposable {
  readonly #folder = new Folder();
  readonly path: string;

  private constructor() {
    this.path = this.#folder.at('disk');
    mkdirSync(this.path);
  }

  /** The disk, or why there is none. */
  static mount(): SmallDisk | string {
    const disk = new SmallDisk();
    const args = ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=0700`, 'tmpfs', disk.path];
    const { status, stderr, error } = spawnSync('mount', args, { encoding: 'utf8' });
    if (status === 0) return disk;
    disk.#folder[Symbol.dispose]();
    return `no disk of its own can be mounted here: ${error?.message ?? stderr.trim()}`;
  }

  /** Writes a file that leaves only this many bytes, whatever the server writes at the same time. */
  fill(file: string, leave: number): void {
    const ballast = openSync(file, 'w', 0o600);
    try {
      const size = writeUntilRefused(ballast);
      ftruncateSync(ballast, Math.max(0, size - leave));
    } finally {
      closeSync(ballast);
    }
  }

  [Symbol.dispose](): void {
    spawnSync('umount', [this.path]);
    this.#folder[Symbol.dispose]();
  }
}

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

const probe = SmallDisk.mount();
const skip = typeof probe === 'string' ? probe : false;
if (typeof probe === 'string') process.stderr.write(`NOT TESTED: a disk that is really full: ${probe}\n`);
else probe[Symbol.dispose]();

test('a server whose disk is really full loses nothing acknowledged, reads on, and goes on when there is room', {
  skip,
}, async () => {
  const disk = SmallDisk.mount();
  assert.ok(typeof disk !== 'string');
  using _disk = disk;
  const env = { NOTEVAULT_DATA_DIR: `${disk.path}/data`, NOTEVAULT_LOG_LEVEL: 'fatal' };
  const ballast = `${disk.path}/ballast`;
  const kept = new Map<string, string>();
  {
    await using server = await startServe({ env });
    const alice = await aliceAt(server.url);
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
  // A start recovers what is in the log of the database.
  rmSync(ballast);
  await using server = await startServe({ env });
  await checkKept(await aliceAt(server.url), kept);
});
