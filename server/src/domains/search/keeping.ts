import type { VaultId } from '@notevault/protocol/ids.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { IndexState } from './desk.ts';
import { openSegments } from './following.ts';
import { indexFormat } from './index-format.ts';
import type { SearchParts } from './parts.ts';
import * as store from './search.store.ts';

/** Fewer changed notes than this are read again as quickly as from a segment. */
const worthKeeping = 200;
/** Rows that are deleted are overwritten: this many parts at a time hold no other writer up. */
const eraseParts = 4;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** A segment that no index names after so long was given up by whoever wrote it. */
const abandonedMs = 60 * 60 * 1000;

/** Keeps indexes at rest: sealed segments, written beside everything else. */
export interface Keeping {
  /** Writes what changed since the last time, when that is enough to be worth it. One vault after the other. */
  keepIfWorth(vault: OpenVault, state: IndexState): void;
  keep(vault: OpenVault): Promise<void>;
  /** Forgets the index at rest. */
  forget(vault: OpenVault): Promise<void>;
  /** Deletes a slice of a purged vault's rows; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
  /** Resolves once nothing is being written. */
  idle(): Promise<void>;
}

export function createKeeping(parts: SearchParts, failed: (error: unknown) => void): Keeping {
  const { db, clock, thread } = parts;
  const waiting = new Set<string>();
  let last: Promise<unknown> = Promise.resolve();

  async function keep(vault: OpenVault): Promise<void> {
    const { seq, segments, sealed } = await thread.ask('freeze', { vault: vault.id, key: vault.key.share(1) });
    for (const { id: segment, parts: count, fresh } of segments) {
      for (let part = 0; fresh && part < count; part++) {
        const data = await thread.ask('part', { vault: vault.id, key: vault.key.share(1), segment, part });
        await db.transact((handle) => handle.run(store.insertPart, { vault: vault.id, segment, part, data }));
      }
    }
    const index = { vault: vault.id, format: indexFormat, epoch: vault.feedEpoch, seq, segments: Buffer.from(sealed) };
    await db.transact((handle) => handle.run(store.putIndex, index));
    await thread.ask('kept', { vault: vault.id, seq });
    await sweep(vault);
  }

  /** Deletes parts of segments that the index does not name, unless another process may be writing them. */
  async function sweep(vault: OpenVault): Promise<void> {
    const row = await db.get(store.findIndex, { vault: vault.id });
    const named = row === undefined ? null : openSegments(vault, row);
    const keptIds = new Set(named?.segments.map(({ id }) => id) ?? []);
    const until = clock.now() - abandonedMs;
    const replaced = (id: string) => !keptIds.has(id) && (mine.delete(id) || timeOf(id) < until);
    for (let after = FIRST_ID; ; ) {
      const rows = await db.all(store.findSegments, { vault: vault.id, after, limit: 1 });
      const [first] = rows;
      if (first === undefined) break;
      after = first.segment_id;
      if (replaced(after)) await eraseSegment(vault.id, after);
    }
    for (const id of keptIds) mine.add(id);
  }

  /** Segments that an index of this process named, and which it may therefore delete at once. */
  const mine = new Set<string>();

  async function eraseSegment(vault: VaultId, segment: string): Promise<void> {
    for (let erased = eraseParts; erased === eraseParts; ) {
      erased = await db.transact(async (handle) => {
        const rows = await handle.all(store.findPartsOf, { vault, segment, limit: eraseParts });
        return handle.runIn(
          store.deleteParts,
          { vault, segment },
          rows.map(({ part }) => part),
        );
      });
    }
  }

  function inTurn(work: () => Promise<void>): Promise<void> {
    const own = last.catch(() => undefined).then(work);
    last = own.catch(() => undefined);
    return own;
  }

  return {
    keepIfWorth(vault, state) {
      if (state.unkept < worthKeeping || waiting.has(vault.id)) return;
      waiting.add(vault.id);
      inTurn(() => keep(vault))
        .catch(failed)
        .finally(() => waiting.delete(vault.id));
    },
    keep: (vault) => inTurn(() => keep(vault)),
    async forget(vault) {
      await db.transact((handle) => handle.run(store.deleteIndex, { vault: vault.id }));
      await thread.ask('drop', { vault: vault.id });
    },
    async eraseSlice(handle, vault) {
      await handle.run(store.deleteIndex, { vault });
      const [first] = await handle.all(store.findSegments, { vault, after: FIRST_ID, limit: 1 });
      if (first === undefined) return false;
      const rows = await handle.all(store.findPartsOf, { vault, segment: first.segment_id, limit: eraseParts });
      await handle.runIn(
        store.deleteParts,
        { vault, segment: first.segment_id },
        rows.map(({ part }) => part),
      );
      return true;
    },
    idle: () => last.then(() => undefined),
  };
}

/** Epoch milliseconds of a UUIDv7 (RFC 9562, section 5.7). */
function timeOf(uuid: string): number {
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}
