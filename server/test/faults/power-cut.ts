import { existsSync } from 'node:fs';
import { copyFile, rm, stat } from 'node:fs/promises';
import type { Caller } from '../kit/person.ts';

/** The ending of the copy of a `-wal` file as its last sync left it; see power-cut-serve.ts. */
export const SYNCED = '.synced';

/**
 * Puts the `-wal` file of a killed server back as of its last sync. Returns false, and changes nothing, when a
 * checkpoint has written to the database since: it synced the file itself, so the copy is older than the disk.
 */
export async function cutPower(file: string): Promise<boolean> {
  const wal = `${file}-wal`;
  const synced = `${wal}${SYNCED}`;
  if (!existsSync(synced)) return false;
  const [database, copy] = await Promise.all([stat(file), stat(synced)]);
  const isCut = database.mtimeMs <= copy.mtimeMs;
  if (isCut) {
    await copyFile(synced, wal);
    await rm(`${file}-shm`, { force: true });
  }
  await rm(synced);
  return isCut;
}

interface SeenRow {
  readonly id: string;
  readonly seq: number;
  readonly content_hash: string | null;
  readonly deleted: boolean;
}

/** Every row of the change feeds of some vaults that a server has handed out, at its latest seq. */
export class SeenRows {
  readonly #rows = new Map<string, Map<string, SeenRow>>();

  /** Reads the feeds again and again until the server is gone. */
  async follow(caller: Caller, vaults: readonly string[]): Promise<void> {
    const cursors = new Map<string, string>();
    for (;;) {
      for (const vault of vaults) {
        const page = await feedPage(caller, vault, cursors.get(vault)).catch(() => null);
        if (page === null) return;
        cursors.set(vault, page.resume_cursor);
        const rows = this.#rows.get(vault) ?? new Map<string, SeenRow>();
        this.#rows.set(vault, rows);
        for (const row of page.changes) rows.set(row.id, row);
      }
    }
  }

  /** Returns the rows that were handed out and that the feed has lost, in words. */
  async missing(caller: Caller): Promise<string[]> {
    const faults: string[] = [];
    for (const [vault, seen] of this.#rows) {
      const stored = new Map<string, SeenRow>();
      for (let cursor: string | undefined, more = true; more; ) {
        const page = await feedPage(caller, vault, cursor);
        for (const row of page.changes) stored.set(row.id, row);
        [cursor, more] = [page.resume_cursor, page.has_more];
      }
      for (const row of seen.values()) {
        const now = stored.get(row.id);
        // One that ended in the trash leaves the feed.
        if (now === undefined ? row.deleted : now.seq > row.seq) continue;
        if (now?.seq === row.seq && now.content_hash === row.content_hash && now.deleted === row.deleted) continue;
        faults.push(`seq ${row.seq} of ${vault} was handed out for ${row.id} and now is ${now?.seq ?? 'gone'}`);
      }
    }
    this.#rows.clear();
    return faults;
  }
}

interface FeedPage {
  readonly changes: readonly SeenRow[];
  readonly resume_cursor: string;
  readonly has_more: boolean;
}

async function feedPage(caller: Caller, vault: string, cursor: string | undefined): Promise<FeedPage> {
  const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const { status, body } = await caller.get(`/sync/changes?limit=500${after}`, { 'x-vault-id': vault });
  if (status !== 200) throw new Error(`the feed of ${vault} was answered ${status} ${JSON.stringify(body)}`);
  return body as FeedPage;
}
