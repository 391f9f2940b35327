import { type BlobId, parseUuid, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { BlobKey } from '../ports/blobs/blobs.ts';
import { BackupDamaged, type ObjectRef } from './format.ts';

/** A blob of a backup: which one it is, and the object with its bytes. */
export interface ListedBlob extends ObjectRef {
  readonly key: BlobKey;
}

/** Entries of one piece of the list: 110 bytes each. */
export const ENTRIES_A_PIECE = 20_000;

const LINE = /^([0-9a-f-]{36}) ([0-9a-f-]{36}) ([0-9a-f]{64}) (\d{1,15})$/;

/** Writes blobs as lines: vault, blob, hash and size of its sealed bytes. */
export function writeBlobLines(blobs: readonly ListedBlob[]): Buffer {
  const lines = blobs.map(({ key, hash, size }) => `${key.vaultId} ${key.blobId} ${hash} ${size}\n`);
  return Buffer.from(lines.join(''));
}

/** Reads what writeBlobLines wrote. Throws BackupDamaged. */
export function readBlobLines(bytes: Uint8Array, file: string): ListedBlob[] {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [, vaultId = '', blobId = '', hash = '', size] = LINE.exec(line) ?? [];
      if (parseUuid(vaultId) !== vaultId || parseUuid(blobId) !== blobId) {
        throw new BackupDamaged(file, 'is no list of attachments');
      }
      return { key: { vaultId: vaultId as VaultId, blobId: blobId as BlobId }, hash, size: Number(size) };
    });
}

/** The order of the list: that of both databases. */
function compareKeys(a: BlobKey, b: BlobKey): number {
  if (a.vaultId !== b.vaultId) return a.vaultId < b.vaultId ? -1 : 1;
  return a.blobId < b.blobId ? -1 : a.blobId > b.blobId ? 1 : 0;
}

/** Finds blobs in an ordered list. Lookups must come in the same order. */
export class OrderedLookup {
  readonly #blobs: AsyncIterator<ListedBlob>;
  #next: ListedBlob | null | undefined;

  constructor(blobs: AsyncIterable<ListedBlob>) {
    this.#blobs = blobs[Symbol.asyncIterator]();
  }

  async find(key: BlobKey): Promise<ListedBlob | null> {
    for (;;) {
      if (this.#next === undefined) {
        const { value, done } = await this.#blobs.next();
        this.#next = done === true ? null : value;
      }
      if (this.#next === null) return null;
      const order = compareKeys(this.#next.key, key);
      if (order > 0) return null;
      const found = this.#next;
      this.#next = undefined;
      if (order === 0) return found;
    }
  }
}
