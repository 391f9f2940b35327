import { createHash, randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { BlobId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { BlobKey, Blobs } from '../../src/ports/blobs/blobs.ts';
import { blobsDdl } from '../../src/ports/blobs/database.tables.ts';
import { databaseBlobs } from '../../src/ports/blobs/database.ts';
import { openDiskBlobs } from '../../src/ports/blobs/disk.ts';
import { systemClock } from '../../src/ports/clock/clock.ts';
import { openPostgres } from '../../src/ports/database/postgres/postgres.ts';
import { openSqlite } from '../../src/ports/database/sqlite/sqlite.ts';

/*
 * node blobs-child.ts <disk|sqlite|postgres> <folder, file or url> <at once> <rounds>: puts blobs, and writes a line to
 * standard output for each put that has resolved. The test kills this process or traces its system calls.
 */

/** Opens the blobs that the arguments name; returns them with a function to close them. */
export async function openAt(kind: string, where: string): Promise<{ blobs: Blobs; close(): Promise<void> }> {
  const clock = systemClock();
  if (kind === 'disk') {
    const blobs = await openDiskBlobs({ folder: where, clock, singleProcess: true });
    return { blobs, close: async () => blobs[Symbol.asyncDispose]() };
  }
  const db = await (kind === 'sqlite' ? openSqlite({ file: where }) : openPostgres({ url: where }));
  await db.migrate([{ number: 1, name: 'blobs', ddl: blobsDdl }]);
  return { blobs: databaseBlobs(db, clock), close: async () => db[Symbol.asyncDispose]() };
}

/** The content of the blob with this id: 100 KB to 3 MB, the same in every process. */
export function contentOf(blobId: string): Buffer {
  const digest = createHash('sha256').update(blobId).digest();
  return Buffer.alloc(100_000 + (digest.readUInt32BE() % 2_900_000), digest);
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
}

async function putAll(blobs: Blobs, rounds: number): Promise<void> {
  const vaultId = randomUUID() as VaultId;
  for (let round = 0; round < rounds; round++) {
    const key: BlobKey = { vaultId, blobId: randomUUID() as BlobId };
    await blobs.put(key, piecesOf(contentOf(key.blobId)));
    writeSync(1, `ack ${key.vaultId} ${key.blobId}.\n`);
  }
}

if (import.meta.main) {
  const [kind = '', where = '', atOnce = '1', rounds = '1'] = process.argv.slice(2);
  const { blobs, close } = await openAt(kind, where);
  await Promise.all(Array.from({ length: Number(atOnce) }, () => putAll(blobs, Number(rounds))));
  await close();
}
