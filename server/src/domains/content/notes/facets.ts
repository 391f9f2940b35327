import { tagKey } from '@notevault/note-text/tags.ts';
import type { Counted } from '@notevault/protocol/notes.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { OpenVault, VaultCache } from '../vaults/vaults.ts';
import { type CachedNote, cachedNotes } from './note-cache.ts';

interface FacetCount {
  count: number;
  name: string;
  /** The note from which the spelling is taken. */
  by: CachedNote;
}

/** Counts the values of all notes, without case, by name; the oldest note spells them. Throws `note_unreadable`. */
export async function countFacet(
  cache: VaultCache,
  vault: OpenVault,
  valuesOf: (note: CachedNote) => readonly string[],
): Promise<Counted[]> {
  const found = new Map<string, FacetCount>();
  await cache.snapshot(vault, async (snapshot) => {
    const yieldIfDue = createYield();
    for (const note of (await snapshot.rows(cachedNotes)).byId.values()) {
      await yieldIfDue();
      for (const name of valuesOf(note)) count(found, name, note);
    }
  });
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { name, count }]) => ({ name, count }));
}

function count(found: Map<string, FacetCount>, name: string, by: CachedNote): void {
  const key = tagKey(name);
  const seen = found.get(key);
  if (seen === undefined) found.set(key, { count: 1, name, by });
  else {
    seen.count += 1;
    if (isOlder(by, seen.by)) Object.assign(seen, { name, by });
  }
}

function isOlder(a: CachedNote, b: CachedNote): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt;
}
