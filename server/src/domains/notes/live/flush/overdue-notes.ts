import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import type { Database } from '../../../../ports/database/database.ts';
import * as store from '../live.store.ts';

/** Older edits were left by a process that has ended, or by a flush that failed. */
const OVERDUE_MS = 10_000;
const SLICE = 200;

/** The notes of any vault with edits that have been waiting for long, in slices by the time of their edits. */
export async function* overdueNotes(db: Database, clock: Clock): AsyncGenerator<ReadonlyMap<NoteId, VaultId>> {
  const before = uuidFloor(clock.now() - OVERDUE_MS);
  for (let after = uuidFloor(0); ; ) {
    const rows = await db.all(store.findWaitingBetween, { after, before, limit: SLICE });
    yield new Map(rows.map((row) => [row.note_id as NoteId, row.vault_id as VaultId]));
    const last = rows.at(-1);
    if (last === undefined || rows.length < SLICE) return;
    // Continues after the edits of notes that could not be flushed, too.
    after = last.id;
  }
}

/** Returns the smallest UUIDv7 of a moment: all earlier ids are smaller. */
function uuidFloor(ms: number): string {
  const hex = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
