import { createHash } from 'node:crypto';
import type { BlobId, VaultId } from '@notevault/protocol/values/ids.ts';
import { BlobError, type BlobKey, type Blobs } from '../../../ports/blobs/blobs.ts';
import type { OpenVault } from '../../content/vaults/vaults.ts';
import { ArchiveError } from './archive/archive.ts';
import { RangeReader } from './archive/range-reader.ts';

/** The archives of imports, each sealed in a blob until it is erased. */
export class StoredArchives {
  readonly #blobs: Blobs;

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  put(vault: OpenVault, blobId: BlobId, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const sealed = vault.key.sealStream(archiveContext(blobId), bytes);
    return this.#blobs.put({ vaultId: vault.id as VaultId, blobId }, sealed);
  }

  reader(vault: OpenVault, blobId: BlobId, size: number): RangeReader {
    return this.#reader(vault, blobId, size, () => new ArchiveError('damaged_archive'));
  }

  /** Stores the inner archives of an archive unpacked, replacing those of an earlier run. */
  async putInner(vault: OpenVault, blobId: BlobId, bytes: AsyncIterable<Uint8Array>): Promise<RangeReader> {
    await this.eraseInner(vault.id as VaultId, blobId);
    let size = 0;
    async function* counted() {
      for await (const piece of bytes) {
        size += piece.length;
        yield piece;
      }
    }
    const inner = innerOf(blobId);
    await this.put(vault, inner, counted());
    return this.#reader(vault, inner, size, () => new BlobError('gone', 'The archives in an archive were erased.'));
  }

  /** Erases an archive, and inner archives that a killed process has unpacked from it. */
  erase(vaultId: VaultId, blobId: BlobId): Promise<void> {
    return this.#blobs.delete(keysOf(vaultId, [blobId, innerOf(blobId)]));
  }

  eraseInner(vaultId: VaultId, blobId: BlobId): Promise<void> {
    return this.#blobs.delete(keysOf(vaultId, [innerOf(blobId)]));
  }

  #reader({ id, key }: OpenVault, blobId: BlobId, size: number, missing: () => Error): RangeReader {
    const read = async (range: { start: number; end: number }) => {
      const bytes = await this.#blobs.read({ vaultId: id as VaultId, blobId }, range);
      if (bytes === null) throw missing();
      return bytes;
    };
    return new RangeReader(size, (start, end) =>
      whenRead(() => key.openStream(archiveContext(blobId), size, { start, end }, read)),
    );
  }
}

const archiveContext = (blobId: string) => ({ kind: 'imports.archive', row: blobId, version: 0 });

function keysOf(vaultId: VaultId, ids: readonly BlobId[]): BlobKey[] {
  return ids.map((blobId) => ({ vaultId, blobId }));
}

/** Derives the id under which inner archives are stored from the archive's id, so that both can be erased. */
function innerOf(blobId: BlobId): BlobId {
  const hex = createHash('sha256').update(`imports.inner ${blobId}`).digest('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5') as BlobId;
}

/** Opens bytes when they are first read, so that nothing unread stays open. */
async function* whenRead(open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>) {
  yield* await open();
}
