import { NotevaultError } from '@notevault/protocol/errors.ts';
import { SEGMENT_FORMAT } from '@notevault/search-index/index/segment-codec.ts';
import type { Database } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import { segmentListContext } from '../seal-contexts.ts';
import * as store from '../search.store.ts';
import { TransferList } from '../worker/transfer-list.ts';
import { type SegmentList, segmentList } from '../worker/worker-api.ts';
import { type WorkerClient, WorkerDied } from '../worker/worker-client.ts';

/**
 * The format of stored segments; those of another format are not read. ICU's version is part of it, because its dictionaries
 * segment scripts without spaces.
 */
export const indexFormat = `${SEGMENT_FORMAT} icu ${process.versions.icu ?? 'none'}`;

/** Loads a vault's stored index into the worker; resolves to null when none is stored that can be used. */
export async function loadStoredIndex(db: Database, worker: WorkerClient, vault: OpenVault) {
  const row = await db.get(store.findIndex, { vault_id: vault.id });
  if (row === undefined || row.format !== indexFormat || row.feed_epoch !== vault.feedEpoch) return null;
  const list = openSegmentList(vault, row);
  if (list === null || !(await loadSegments(db, worker, vault, list))) return null;
  const transfer = new TransferList();
  const stored = { seq: row.seq, segments: transfer.add(row.segments) };
  const params = { vault: vault.id, key: vault.key.share(0), epoch: vault.feedEpoch, floor: 0, stored };
  return worker.request('createIndex', params, transfer).catch(nullUnlessTransient);
}

/** Null when the list cannot be opened. */
export function openSegmentList(vault: OpenVault, row: { seq: number; segments: Buffer }): SegmentList | null {
  try {
    return segmentList.open(vault.key, segmentListContext(vault.id, row.seq), row.segments);
  } catch {
    return null;
  }
}

/** Passes the parts of segments to the worker; resolves to false when one is missing or damaged. */
async function loadSegments(db: Database, worker: WorkerClient, vault: OpenVault, { segments }: SegmentList) {
  for (const { id: segment, parts } of segments) {
    for (let part = 0; part < parts; part++) {
      const row = await db.get(store.findPart, { vault_id: vault.id, segment_id: segment, part });
      if (row === undefined) return false;
      const transfer = new TransferList();
      const data = transfer.add(row.data);
      const params = { vault: vault.id, key: vault.key.share(0), segment, part, data };
      const loading = worker.request('loadSegmentPart', params, transfer);
      const isLoaded = await loading.then(() => true, nullUnlessTransient);
      if (isLoaded === null) return false;
    }
  }
  return true;
}

/** Returns null for damaged segments, because the index can be rebuilt from the notes; rethrows other errors. */
function nullUnlessTransient(error: unknown): null {
  if (error instanceof NotevaultError || error instanceof WorkerDied) throw error;
  return null;
}
