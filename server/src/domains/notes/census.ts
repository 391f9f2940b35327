import type { Database } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { breather } from './breather.ts';
import { type NoteMeta, sealed } from './meta.ts';
import type { Counted } from './notes.schema.ts';
import * as store from './notes.store.ts';

/** The words that a vault's notes are filed under: by name, with the number of live notes. */
export interface Census {
  tags(vault: OpenVault): Promise<Counted[]>;
  types(vault: OpenVault): Promise<Counted[]>;
}

export function createCensus(db: Database): Census {
  return {
    tags: (vault) => countWords(db, vault, ({ tags }) => tags),
    types: (vault) => countWords(db, vault, ({ type }) => (type === null ? [] : [type])),
  };
}

const SLICE = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Seen {
  count: number;
  name: string;
  /** Age and id of the note that spells it so, as a text to compare by. */
  since: string;
}

/**
 * Counts the words that `wordsOf` finds in each live note, without case, by name; the oldest note decides on the
 * spelling. Throws `note_unreadable` rather than leave a note out.
 */
async function countWords(
  db: Database,
  vault: OpenVault,
  wordsOf: (meta: NoteMeta) => readonly string[],
): Promise<Counted[]> {
  const found = new Map<string, Seen>();
  const breathe = breather();
  for (let after = FIRST_ID; ; ) {
    const rows = await db.all(store.listMetas, { vault: vault.id, after, limit: SLICE });
    for (const row of rows) {
      await breathe();
      const since = `${String(row.created_at).padStart(16, '0')} ${row.id}`;
      for (const name of wordsOf(sealed.openMeta(vault, row.id, row.stamp, row.meta))) count(found, name, since);
      after = row.id;
    }
    if (rows.length < SLICE) break;
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { name, count }]) => ({ name, count }));
}

function count(found: Map<string, Seen>, name: string, since: string): void {
  const key = name.normalize('NFC').toLowerCase();
  const seen = found.get(key);
  if (seen === undefined) found.set(key, { count: 1, name, since });
  else {
    seen.count += 1;
    if (since < seen.since) Object.assign(seen, { name, since });
  }
}
