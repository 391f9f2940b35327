import { DatabaseSync } from 'node:sqlite';

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/**
 * The longest record header: it begins with its own length and has a byte for the type of each column, while columns
 * are few and small.
 */
const RECORD_HEADER_MAX = 40;
const TEXT_36 = 13 + 2 * 36;

/** A commit in SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html, section 4). */
export interface Commit {
  /** The range of bytes in the file to which it was written. */
  readonly from: number;
  readonly to: number;
  /** The vault's change_seq after this commit. */
  readonly changeSeq: number;
}

/**
 * Keeps the `-wal` file of a database from being restarted or emptied, by a reader that still needs all of it. Taken
 * before a load, it holds every commit of the load, however long reading the file takes.
 */
export function keepLog(file: string): Disposable {
  const db = new DatabaseSync(file, { readOnly: true });
  db.exec('begin');
  db.prepare('select count(*) from sqlite_schema').get();
  return { [Symbol.dispose]: () => db.close() };
}

/**
 * Parses the commits of a `-wal` file that was never restarted, with the resulting `change_seq` of a vault.
 *
 * @param feedsPage the page of the table `vault_feeds`, while it has only one.
 */
export function commitsIn(wal: Buffer, { feedsPage, vault }: { feedsPage: number; vault: string }): Commit[] {
  const commits: Commit[] = [];
  const pageBytes = wal.readUInt32BE(8);
  const salts = wal.subarray(16, 24);
  let from = HEADER_BYTES;
  let changeSeq = 0;
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES + pageBytes <= wal.length; at += FRAME_HEADER_BYTES + pageBytes) {
    // Left behind by an earlier, longer log.
    if (!wal.subarray(at + 8, at + 16).equals(salts)) break;
    const to = at + FRAME_HEADER_BYTES + pageBytes;
    if (wal.readUInt32BE(at) === feedsPage) {
      changeSeq = changeSeqIn(wal.subarray(at + FRAME_HEADER_BYTES, to), vault) ?? changeSeq;
    }
    if (wal.readUInt32BE(at + 4) === 0) continue;
    commits.push({ from, to, changeSeq });
    from = to;
  }
  return commits;
}

/**
 * The commits in which rows first appear, ordered by id, for a table whose key begins with these columns and ends with
 * an id.
 *
 * @param key the columns before the id, texts of 36 letters.
 */
export function firstCommitsOf(wal: Buffer, commits: readonly Commit[], key: readonly string[]): Commit[] {
  const row = new RegExp(`${key.join('')}([0-9a-f-]{36})`, 'g');
  const first = new Map<string, Commit>();
  for (const commit of commits) {
    const pages = wal.toString('latin1', commit.from, commit.to);
    for (const [, id = ''] of pages.matchAll(row)) if (!first.has(id)) first.set(id, commit);
  }
  return [...first].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, commit]) => commit);
}

/** The second column of the row whose first column is the vault's id (section 2.1 of the file format). */
function changeSeqIn(page: Buffer, vault: string): number | undefined {
  const id = page.indexOf(vault, 0, 'latin1');
  if (id < 0) return undefined;
  const lengths = Array.from({ length: Math.min(RECORD_HEADER_MAX, id) }, (_, length) => length);
  const header = lengths.find((length) => page[id - length] === length && page[id - length + 1] === TEXT_36);
  if (header === undefined) throw new Error('vault_feeds is not the table this was written for');
  const type = page[id - header + 2] ?? 0;
  if (type === 8 || type === 9) return type - 8;
  return page.readIntBE(id + 36, type);
}
