import { NIL_UUID } from '@notevault/protocol/values/ids.ts';
import type { YieldIfDue } from '../../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import * as store from '../links.store.ts';

/** Maximum number of names looked up in one statement, and maximum number of notes that it may return. */
const NAMES = 32;
const NOTES = 1000;

/**
 * Returns the notes with links that are looked up under any of some keys.
 *
 * @param yieldIfDue left out inside a transaction, whose handle yields by itself.
 */
export async function findReferringNotes(
  handle: ReadHandle,
  vault: OpenVault,
  keys: readonly Buffer[],
  yieldIfDue: YieldIfDue = async () => undefined,
): Promise<Set<string>> {
  const notes = new Set<string>();
  const read = async (statement: typeof store.findReferringNotes, some: readonly Buffer[], after: string) => {
    await yieldIfDue();
    const rows = await handle.allMany(statement, { vault: vault.id, after, limit: NOTES }, some);
    for (const row of rows) notes.add(row.source_id);
    return rows;
  };
  for (let at = 0; at < keys.length; at += NAMES) {
    const some = keys.slice(at, at + NAMES);
    await yieldIfDue();
    const edges = await handle.allMany(store.findEdgesByKey, { vault: vault.id, limit: NOTES }, some);
    for (const { source_id } of edges) notes.add(source_id);
    // Of more edges only the notes are read, because one note may have thousands.
    if (edges.length < NOTES) continue;
    for (const statement of [store.findReferringNotes, store.findReferringNotesByOtherKey]) {
      if ((await read(statement, some, NIL_UUID)).length < NOTES) continue;
      // There are more notes than one statement returns: each name is read by itself, in order.
      for (const key of some) {
        for (let after: string | undefined = NIL_UUID; after !== undefined; ) {
          const rows: { source_id: string }[] = await read(statement, [key], after);
          after = rows.length < NOTES ? undefined : rows.at(-1)?.source_id;
        }
      }
    }
  }
  return notes;
}
