import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { BlobId, VaultId } from '@notevault/protocol/values/ids.ts';
import { readConfig } from '../../server/src/config/config.ts';
import { openPorts } from '../../server/src/open-ports.ts';
import type { Blobs } from '../../server/src/ports/blobs/blobs.ts';
import type { SealingKey } from '../../server/src/ports/keyring/keyring.ts';

/*
 * A process that puts and reads blobs, one after the other or several at once, and sends what it measured as a message.
 * bench/blobs.ts runs each measurement in a new process, so that none starts with the memory of another.
 */

export interface BlobRun {
  readonly store: 'raw file' | 'disk' | 'database';
  readonly bytes: number;
  readonly atOnce: number;
  readonly databaseUrl: string | null;
}

export interface BlobFigures {
  readonly putMbPerSecond: number;
  readonly readMbPerSecond: number;
  /** Memory above the process's start, in MiB: its own, and including mapped files. */
  readonly putPeak: Peak;
  readonly readPeak: Peak;
}

interface Peak {
  readonly own: number;
  readonly all: number;
}

/** The size of one read from a socket. */
const PIECE_BYTES = 64 * 1024;
const WARMING_BYTES = 100 * MB;

function memory(): Peak {
  const status = readFileSync('/proc/self/status', 'utf8');
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { own: field('RssAnon'), all: field('VmRSS') };
}

/** Runs `work`, which calls its argument now and then, and returns the duration in seconds and the peak memory. */
async function measured(
  idle: Peak,
  work: (tick: () => void) => Promise<void>,
): Promise<{ seconds: number; peak: Peak }> {
  const peak = { own: 0, all: 0 };
  let ticks = 0;
  const started = performance.now();
  await work(() => {
    if (ticks++ % 16 !== 0) return;
    const now = memory();
    peak.own = Math.max(peak.own, now.own - idle.own);
    peak.all = Math.max(peak.all, now.all - idle.all);
  });
  return { seconds: (performance.now() - started) / 1000, peak };
}

/** Bytes as they arrive from a socket: a new buffer each, with other work in between. */
async function* incoming(bytes: number, tick: () => void): AsyncGenerator<Uint8Array> {
  const noise = randomBytes(PIECE_BYTES);
  for (let left = bytes; left > 0; left -= PIECE_BYTES) {
    await nextTurn();
    tick();
    yield Buffer.from(noise.subarray(0, left));
  }
}

/** Consumes bytes as a socket would. */
async function outgoing(bytes: AsyncIterable<Uint8Array>, tick: () => void): Promise<number> {
  let count = 0;
  for await (const piece of bytes) {
    await nextTurn();
    tick();
    count += piece.length;
  }
  return count;
}

type Work = (name: number, tick: () => void) => Promise<void>;

function sealedBlobs(blobs: Blobs, key: SealingKey, size: number, random: () => string): Works {
  const vaultId = random() as VaultId;
  const ids = new Map<number, BlobId>();
  const contextOf = (id: BlobId) => ({ kind: 'bench', row: id, version: 0 });
  return {
    async put(name, tick) {
      const id = random() as BlobId;
      ids.set(name, id);
      await blobs.put({ vaultId, blobId: id }, key.sealStream(contextOf(id), incoming(size, tick)));
    },
    async read(name, tick) {
      const blobId = ids.get(name) as BlobId;
      const read = (range: { start: number; end: number }) => blobs.read({ vaultId, blobId }, range);
      const opened = await key.openStream(contextOf(blobId), size, { start: 0, end: size }, read);
      if ((await outgoing(opened, tick)) !== size) throw new Error('not all came back');
    },
  };
}

/** The baseline without Notevault: a file written, synced and read. */
function rawFile(folder: string, size: number): Works {
  return {
    async put(name, tick) {
      const handle = await open(join(folder, String(name)), 'wx');
      for await (const piece of incoming(size, tick)) await handle.write(piece);
      await handle.sync();
      await handle.close();
    },
    async read(name, tick) {
      const handle = await open(join(folder, String(name)));
      await outgoing(handle.createReadStream({ highWaterMark: PIECE_BYTES }), tick);
    },
  };
}

interface Works {
  readonly put: Work;
  readonly read: Work;
}

async function figures(work: Works, { bytes, atOnce }: BlobRun, warming: Works | null = null): Promise<BlobFigures> {
  await warming?.put(0, () => undefined);
  await warming?.read(0, () => undefined);
  const all = (one: Work) => (tick: () => void) =>
    Promise.all(Array.from({ length: atOnce }, (_, name) => one(name, tick))).then(() => undefined);
  const idle = memory();
  const put = await measured(idle, all(work.put));
  const read = await measured(idle, all(work.read));
  const rate = (seconds: number) => Math.round((bytes * atOnce) / MB / seconds);
  return {
    ...{ putMbPerSecond: rate(put.seconds), readMbPerSecond: rate(read.seconds) },
    ...{ putPeak: put.peak, readPeak: read.peak },
  };
}

async function run(asked: BlobRun): Promise<BlobFigures> {
  // On a real disk, because the plain file it is compared with is on one too.
  const dataDir = await mkdtemp(join(tmpdir(), 'notevault-bench-'));
  try {
    if (asked.store === 'raw file') return await figures(rawFile(dataDir, asked.bytes), asked);
    const url = asked.databaseUrl === null ? {} : { NOTEVAULT_DATABASE_URL: asked.databaseUrl };
    const config = readConfig({ ...url, NOTEVAULT_DATA_DIR: dataDir, NOTEVAULT_BLOBS: asked.store });
    await using ports = await openPorts(config);
    const owner = { kind: 'vault', id: ports.clock.uuid() } as const;
    const key = ports.keyring.openDataKey(owner, ports.keyring.createDataKey(owner), 0);
    const works = (size: number) => sealedBlobs(ports.blobs, key, size, () => ports.clock.uuid());
    // Fills SQLite's page cache first: it has a fixed size and is full in any server in use, so it does not count as a
    // cost of a blob.
    const warming = asked.store === 'database' && asked.databaseUrl === null ? works(WARMING_BYTES) : null;
    return await figures(works(asked.bytes), asked, warming);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

process.once('message', async (asked: BlobRun) => {
  process.send?.(await run(asked));
  process.disconnect?.();
});
