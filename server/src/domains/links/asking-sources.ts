import type { YieldIfDue } from '../../concurrency/yield.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './links.store.ts';

/** Maximum number of names looked up in one statement, and maximum number of notes that it may return. */
const NAMES = 32;
const SOURCES = 1000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the notes with links that are looked up under any of some keys.
 *
 * @param yieldIfDue left out inside a transaction, whose handle yields by itself.
 */
export async function sourcesAsking(
  handle: ReadHandle,
  vault: OpenVault,
  keys: readonly Buffer[],
  yieldIfDue: YieldIfDue = async () => undefined,
): Promise<Set<string>> {
  const sources = new Set<string>();
  const take = async (statement: typeof store.findAskingSources, some: readonly Buffer[], after: string) => {
    await yieldIfDue();
    const rows = await handle.allMany(statement, { vault: vault.id, after, limit: SOURCES }, some);
    for (const row of rows) sources.add(row.source_id);
    return rows;
  };
  for (let at = 0; at < keys.length; at += NAMES) {
    const some = keys.slice(at, at + NAMES);
    for (const statement of [store.findAskingSources, store.findOtherAskingSources]) {
      if ((await take(statement, some, FIRST_ID)).length < SOURCES) continue;
      // There are more notes than one statement returns: each name is read by itself, in order.
      for (const key of some) {
        for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
          const rows: { source_id: string }[] = await take(statement, [key], after);
          after = rows.length < SOURCES ? undefined : rows.at(-1)?.source_id;
        }
      }
    }
  }
  return sources;
}
