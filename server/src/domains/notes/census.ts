import { createYield } from '../../concurrency/yield.ts';
import type { HotVaults, OpenVault } from '../vaults/vaults.ts';
import { type HotNote, hotNotes } from './hot.ts';
import type { Counted } from './notes.schema.ts';

/** The words that a vault's notes are filed under: by name, with the number of live notes. */
export interface Census {
  tags(vault: OpenVault): Promise<Counted[]>;
  types(vault: OpenVault): Promise<Counted[]>;
}

export function createCensus(hot: HotVaults): Census {
  return {
    tags: (vault) => countWords(hot, vault, ({ tags }) => tags),
    types: (vault) => countWords(hot, vault, ({ type }) => (type === null ? [] : [type])),
  };
}

interface Seen {
  count: number;
  name: string;
  /** The note that spells it so. */
  by: HotNote;
}

/**
 * Counts the words that `wordsOf` finds in each live note, without case, by name; the oldest note decides on the
 * spelling. Throws `note_unreadable` rather than leave a note out.
 */
async function countWords(
  hot: HotVaults,
  vault: OpenVault,
  wordsOf: (note: HotNote) => readonly string[],
): Promise<Counted[]> {
  const found = new Map<string, Seen>();
  await hot.look(vault, async (look) => {
    const yieldIfDue = createYield();
    for (const note of (await look.rows(hotNotes)).byId.values()) {
      await yieldIfDue();
      for (const name of wordsOf(note)) count(found, name, note);
    }
  });
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { name, count }]) => ({ name, count }));
}

function count(found: Map<string, Seen>, name: string, by: HotNote): void {
  const key = name.normalize('NFC').toLowerCase();
  const seen = found.get(key);
  if (seen === undefined) found.set(key, { count: 1, name, by });
  else {
    seen.count += 1;
    if (isOlder(by, seen.by)) Object.assign(seen, { name, by });
  }
}

function isOlder(a: HotNote, b: HotNote): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt;
}
