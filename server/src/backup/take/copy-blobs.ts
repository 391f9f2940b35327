import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type BlobId, NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import { fromOpened } from '../../concurrency/opened-pieces.ts';
import type { BlobKey, Blobs } from '../../ports/blobs/blobs.ts';
import type { DatabaseSnapshot } from '../../ports/database/database.ts';
import { sealedSize } from '../../ports/keyring/keyring.ts';
import { ENTRIES_A_PIECE, type ListedBlob, OrderedLookup, writeBlobLines } from '../blob-list.ts';
import { partIn, writeFileDurably } from '../files.ts';
import { BackupDamaged, sha256 } from '../format.ts';
import type { BackupSource } from '../read/source.ts';
import type { BackupLease } from './lease.ts';
import type { BackupTarget } from './take-backup.ts';

const PAGE = 1000;
/** Named in the manifest; beyond this many only the count matters. */
const MISSING_MAX = 1000;

/** Selects the blobs of attachments, except those of vaults without a key, which may be deleted already. */
const COMMITTED = `select b.vault_id as vault, b.id as id, b.size_bytes as size from attachment_blobs b
  join data_keys k on k.owner_kind = 'vault' and k.owner_id = b.vault_id
  where b.state = 'committed' and (b.vault_id > $1 or (b.vault_id = $1 and b.id > $2))
  order by b.vault_id, b.id limit ${PAGE}`;

export interface CopyBlobsDeps {
  readonly snapshot: DatabaseSnapshot;
  readonly blobs: Blobs;
  readonly target: BackupTarget;
  readonly previous: BackupSource | null;
  readonly lease: BackupLease;
  readonly pace: Pace;
  /** Called with the bytes of blobs that the backup contains so far. */
  readonly progress: (bytes: number) => void;
}

export interface CopiedBlobs {
  readonly count: number;
  readonly bytes: number;
  readonly missing: readonly string[];
  readonly lists: readonly [hash: string, size: number][];
}

/** Copies the blobs of a snapshot that the target does not have yet, and lists all of them. */
export async function copyBlobs(deps: CopyBlobsDeps): Promise<CopiedBlobs> {
  const { target, previous, progress } = deps;
  const before = new OrderedLookup(previous === null ? none() : readable(previous));
  const lists: [hash: string, size: number][] = [];
  const missing: string[] = [];
  let listed: ListedBlob[] = [];
  let [count, bytes] = [0, 0];
  const flush = async () => {
    const piece = writeBlobLines(listed);
    listed = [];
    if (piece.length === 0) return;
    const hash = sha256(piece);
    await target.put('database', hash, piece);
    lists.push([hash, piece.length]);
  };
  for await (const { key, size } of committed(deps.snapshot)) {
    const known = await before.find(key);
    const isThere = known !== null && known.size === size && (await target.has('blobs', known));
    const blob = isThere ? known : await copyBlob(deps, key, size);
    if (blob === null) {
      if (missing.length < MISSING_MAX) missing.push(`${key.vaultId}/${key.blobId}`);
      continue;
    }
    listed.push(blob);
    count += 1;
    bytes += size;
    progress(bytes);
    if (listed.length >= ENTRIES_A_PIECE) await flush();
  }
  await flush();
  return { count, bytes, missing, lists };
}

interface CommittedBlob {
  readonly key: BlobKey;
  readonly size: number;
}

async function* committed(snapshot: DatabaseSnapshot): AsyncGenerator<CommittedBlob> {
  for (let after = [NIL_UUID, NIL_UUID]; ; ) {
    const rows = await snapshot.all(COMMITTED, ...after);
    for (const { vault, id, size } of rows) {
      const key = { vaultId: vault as VaultId, blobId: id as BlobId };
      yield { key, size: sealedSize(Number(size)) };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = [String(last.vault), String(last.id)];
  }
}

/** Copies one blob; null when it is missing, or not as long as it was when it was stored. */
async function copyBlob({ blobs, target, pace, lease }: CopyBlobsDeps, key: BlobKey, size: number) {
  const stored = await blobs.read(key);
  if (stored === null) {
    // Without the lease it may have been deleted since the snapshot, which is no damage.
    lease.check();
    return null;
  }
  const hash = createHash('sha256');
  const file = partIn(target.scratch, key.blobId);
  const read = fromOpened(stored, async function* hashed(pieces) {
    for await (const piece of pieces) {
      await pace.spend(piece.length);
      hash.update(piece);
      yield piece;
    }
  });
  // When the file cannot be made, nothing has been read.
  const written = await writeFileDurably(file, read).finally(() => read.return?.());
  if (written !== size) return null;
  const object = { hash: hash.digest('hex'), size };
  await target.adopt('blobs', object, file);
  return { key, ...object };
}

/** The blobs of an earlier backup, up to a damaged piece of their list: those after it are read and listed anew. */
async function* readable(previous: BackupSource): AsyncGenerator<ListedBlob> {
  try {
    yield* previous.blobs();
  } catch (error) {
    if (!(error instanceof BackupDamaged)) throw error;
  }
}

async function* none(): AsyncGenerator<never> {}

export class Pace {
  readonly #bytesPerSecond: number;
  #freeAt = performance.now();

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Resolves when this many more bytes may be copied. */
  async spend(bytes: number): Promise<void> {
    const now = performance.now();
    this.#freeAt = Math.max(now, this.#freeAt) + (bytes / this.#bytesPerSecond) * 1000;
    if (this.#freeAt - now >= 1) await delay(this.#freeAt - now);
  }
}
