import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import * as store from '../search.store.ts';
import type { SearchDeps } from '../search.ts';
import type { IndexState } from '../worker/worker-api.ts';
import { indexFormat, openSegmentList } from './stored-index.ts';

/** Minimum unstored notes for storing a segment: indexing fewer again takes no longer than reading a segment. */
const MIN_UNSTORED_NOTES = 200;
/** Deleted rows are overwritten; this many at a time do not block other writers. */
const PARTS_PER_DELETE = 4;
/** A segment that no index names after this time was abandoned by its writer. */
const ABANDONED_MS = 60 * 60 * 1000;

/** Stores indexes as sealed segments, one vault after the other, in the background. */
export class IndexPersistence {
  readonly #deps: SearchDeps;
  /** Vaults whose index waits to be stored. */
  readonly #queued = new Set<string>();
  #lastTask: Promise<void> = Promise.resolve();
  /** Segments that were named by an index of this process, and may be deleted as soon as they are replaced. */
  readonly #ownSegments = new Set<string>();

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  /** Stores a vault's index in the background when enough notes changed since the last time. */
  storeIfDue(vault: OpenVault, state: IndexState): void {
    if (state.unstored < MIN_UNSTORED_NOTES || this.#queued.has(vault.id)) return;
    this.#queued.add(vault.id);
    this.store(vault)
      .catch(this.#deps.reportError)
      .finally(() => this.#queued.delete(vault.id));
  }

  store(vault: OpenVault): Promise<void> {
    const task = this.#lastTask.then(() => this.#storeNow(vault));
    this.#lastTask = task.catch(() => undefined);
    return task;
  }

  async forget(vault: OpenVault): Promise<void> {
    const { db, worker } = this.#deps;
    await db.transact((handle) => handle.run(store.deleteIndex, { vault_id: vault.id }));
    await worker.request('dropIndex', { vault: vault.id });
  }

  /** Resolves when nothing is being stored. */
  idle(): Promise<void> {
    return this.#lastTask;
  }

  async #storeNow(vault: OpenVault): Promise<void> {
    const { db, worker } = this.#deps;
    const { seq, segments, sealed } = await worker.request('freeze', { vault: vault.id, key: vault.key.share(1) });
    for (const { id, parts, fresh } of segments) if (fresh) await this.#storeSegment(vault, id, parts);
    const progress = { format: indexFormat, feed_epoch: vault.feedEpoch, seq };
    const row = { vault_id: vault.id, ...progress, segments: Buffer.from(sealed) };
    await db.transact((handle) => handle.run(store.putIndex, row));
    await worker.request('markStored', { vault: vault.id });
    await this.#deleteReplacedSegments(vault);
  }

  async #storeSegment(vault: OpenVault, segment: string, parts: number): Promise<void> {
    const { db, worker } = this.#deps;
    for (let part = 0; part < parts; part++) {
      const data = await worker.request('segmentPart', { vault: vault.id, key: vault.key.share(1), segment, part });
      const row = { vault_id: vault.id, segment_id: segment, part, data: Buffer.from(data) };
      await db.transact((handle) => handle.run(store.insertPart, row));
    }
  }

  /** Deletes segments that the stored index does not name, unless another process may be writing them. */
  async #deleteReplacedSegments(vault: OpenVault): Promise<void> {
    const { db, clock } = this.#deps;
    const row = await db.get(store.findIndex, { vault_id: vault.id });
    const list = row === undefined ? null : openSegmentList(vault, row);
    const named = new Set(list?.segments.map(({ id }) => id) ?? []);
    const abandonedBefore = clock.now() - ABANDONED_MS;
    for (let after = NIL_UUID; ; ) {
      const [next] = await db.all(store.findSegments, { vault: vault.id, after, limit: 1 });
      if (next === undefined) break;
      after = next.segment_id;
      if (named.has(after)) continue;
      if (this.#ownSegments.delete(after) || timeOfUuid(after) < abandonedBefore) {
        await this.#deleteSegment(vault.id, after);
      }
    }
    for (const id of named) this.#ownSegments.add(id);
  }

  async #deleteSegment(vault: VaultId, segment: string): Promise<void> {
    for (let deleted = PARTS_PER_DELETE; deleted === PARTS_PER_DELETE; ) {
      deleted = await this.#deps.db.transact((handle) => deleteParts(handle, vault, segment));
    }
  }
}

/** Deletes a slice of a purged vault's stored index; resolves to true when more may be left. */
export async function eraseIndexSlice(handle: WriteHandle, vault: VaultId): Promise<boolean> {
  await handle.run(store.deleteIndex, { vault_id: vault });
  const [first] = await handle.all(store.findSegments, { vault, after: NIL_UUID, limit: 1 });
  if (first === undefined) return false;
  await deleteParts(handle, vault, first.segment_id);
  return true;
}

async function deleteParts(handle: WriteHandle, vault: VaultId, segment: string): Promise<number> {
  const rows = await handle.all(store.findPartsOf, { vault, segment, limit: PARTS_PER_DELETE });
  const parts = rows.map(({ part }) => part);
  return handle.runMany(store.deleteParts, { vault_id: vault, segment_id: segment }, parts);
}

/** Epoch milliseconds of a UUIDv7 (RFC 9562, section 5.7). */
function timeOfUuid(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}
