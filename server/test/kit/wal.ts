const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** A vault's id and the number of bytes of the six columns before it in the record: itself, text of 36, five small ones. */
const RECORD_HEADER_BYTES = 7;
const TEXT_36 = 13 + 2 * 36;

/** A commit as it stands in SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html, section 4). */
export interface Commit {
  /** The bytes of the file it was written to. */
  readonly from: number;
  readonly to: number;
  /** The vault's change_seq from this commit on. */
  readonly changeSeq: number;
}

/**
 * The commits in the bytes of a `-wal` file that has not begun anew, with what each made of a vault's `change_seq`.
 *
 * @param feedsPage the page of the table `vault_feeds`, while that is one page.
 */
export function commitsIn(wal: Buffer, { feedsPage, vault }: { feedsPage: number; vault: string }): Commit[] {
  const commits: Commit[] = [];
  const pageBytes = wal.readUInt32BE(8);
  const salts = wal.subarray(16, 24);
  let from = HEADER_BYTES;
  let changeSeq = 0;
  for (let at = HEADER_BYTES; at + FRAME_HEADER_BYTES + pageBytes <= wal.length; at += FRAME_HEADER_BYTES + pageBytes) {
    // What an earlier, longer log left behind.
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

/** The second column of the row whose first is the vault's id (section 2.1 of the file format). */
function changeSeqIn(page: Buffer, vault: string): number | undefined {
  const id = page.indexOf(vault, 0, 'latin1');
  if (id < 0) return undefined;
  if (page[id - RECORD_HEADER_BYTES] !== RECORD_HEADER_BYTES || page[id - RECORD_HEADER_BYTES + 1] !== TEXT_36) {
    throw new Error('vault_feeds is not the table this was written for');
  }
  const type = page[id - RECORD_HEADER_BYTES + 2] ?? 0;
  if (type === 8 || type === 9) return type - 8;
  return page.readIntBE(id + 36, type);
}
