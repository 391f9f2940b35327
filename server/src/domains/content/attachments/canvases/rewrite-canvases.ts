import { hash } from 'node:crypto';
import type { BlobId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import { capOf } from '../../../foundation/plans/plans.ts';
import type { MovingEntry, StoredEntry, WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { AttachmentDeps, CanvasPlanner } from '../attachments.ts';
import { releaseBlobs } from '../blob-gc.ts';
import * as blobStore from '../blobs.store.ts';
import { type AttachmentMeta, sealMeta } from '../sealed-attachment.ts';
import { blobFor } from '../uploads/put.ts';
import { removeBytes, storeBytes } from '../uploads/upload.ts';
import { canvasText } from './canvas-files.ts';

/** A canvas whose row a move writes: plain data, because it may be spooled to disk. */
export interface MovedCanvasFile {
  readonly id: string;
  readonly names: readonly Buffer[];
  /** Its new bytes, which belong to nothing yet; null if they stay. */
  readonly stored: { readonly blobId: BlobId; readonly hash: string; readonly size: number } | null;
  readonly formerBlob: string | null;
}

/** A canvas, with its row and meta after the move except for its bytes. */
export type CanvasToWrite = Pick<MovingEntry<AttachmentMeta>, 'from' | 'to' | 'row' | 'meta'>;

/** Rewrites the canvases of one move, as long as the plan's storage allows their growth. */
export class CanvasRewriter {
  readonly #deps: AttachmentDeps;
  readonly #context: Pick<WriteContext, 'vault' | 'actor'>;
  readonly #planner: CanvasPlanner;
  readonly #unused: AsyncDisposableStack;
  /** The bytes by which attachments may still grow; null until first read. */
  #room: number | null = null;

  /** @param unused removes the stored bytes if the move is not carried out. */
  constructor(
    deps: AttachmentDeps,
    context: Pick<WriteContext, 'vault' | 'actor'>,
    planner: CanvasPlanner,
    unused: AsyncDisposableStack,
  ) {
    this.#deps = deps;
    this.#context = context;
    this.#planner = planner;
    this.#unused = unused;
  }

  /** Returns the rewritten row of a canvas (null: unchanged), and how many of its references are now dangling. */
  async rewrite({ from, to, row, meta }: CanvasToWrite): Promise<{
    readonly row: StoredEntry | null;
    readonly canvas: MovedCanvasFile | null;
    readonly left: number;
  }> {
    const { vault, actor } = this.#context;
    const text = await canvasText(this.#deps, vault, row);
    if (text === null) return { row: null, canvas: null, left: 0 };
    const { id } = row;
    const { text: next, names, changed, left } = await this.#planner.rewrite({ id, before: from, after: to, text });
    const formerBlob = row.blob_id;
    if (next === null) return { row: null, canvas: { id, names, stored: null, formerBlob }, left };
    const bytes = Buffer.from(next);
    if (!(await this.#hasRoomFor(bytes.length, row.size_bytes)))
      return { row: null, canvas: null, left: left + changed };
    const digest = hash('sha256', bytes);
    const stored = { blobId: await this.#store(bytes), hash: digest, size: bytes.length };
    const now = this.#deps.clock.now();
    const sealed = sealMeta(vault, id, row.revision, { ...meta, hash: digest, actor });
    const written = { blob_id: stored.blobId, size_bytes: bytes.length, mtime: now / 1000, updated_at: now };
    return { row: { ...row, ...written, meta: sealed }, canvas: { id, names, stored, formerBlob }, left };
  }

  async #store(bytes: Uint8Array): Promise<BlobId> {
    const { vault } = this.#context;
    const blob = await storeBytes(this.#deps, vault, once(bytes));
    this.#unused.defer(() => removeBytes(this.#deps, vault, [blob]));
    return blob;
  }

  async #hasRoomFor(size: number, former: number): Promise<boolean> {
    const growth = size - former;
    this.#room ??= await this.#roomNow();
    const isOver = growth > this.#room || size > capOf(this.#context.vault.plan, 'max_file_bytes');
    if (growth > 0 && isOver) return false;
    this.#room -= growth;
    return true;
  }

  async #roomNow(): Promise<number> {
    const { db, vaults } = this.#deps;
    const { vault } = this.#context;
    const cap = capOf(vault.plan, 'attachment_bytes_cap');
    if (cap === Number.POSITIVE_INFINITY) return cap;
    const { bytes } = await vaults.usage(db, vault);
    return cap - bytes - (await vaults.announcedBytes(db, vault, null));
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Gives canvases their new bytes and names, after their rows were written. */
export async function applyCanvases(
  deps: AttachmentDeps,
  handle: WriteHandle,
  vault: OpenVault,
  files: readonly MovedCanvasFile[],
): Promise<void> {
  for (const { id, names, stored } of files) {
    if (stored !== null) {
      const blob = await blobFor(deps, handle, vault, stored);
      // The vault had these bytes already.
      if (blob !== stored.blobId) await handle.run(blobStore.setBlob, { vault: vault.id, id, blob });
    }
    await deps.hooks.canvasStored(handle, vault, id, names);
  }
  const former = files.flatMap(({ stored, formerBlob }) => (stored === null ? [] : [formerBlob]));
  await releaseBlobs(deps, handle, vault.id, former);
}
