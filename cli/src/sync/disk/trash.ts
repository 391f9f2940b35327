import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expiredCopies, KEPT_DAYS, KEPT_PER_FILE, type Kept } from '@notevault/sync/rules/kept-copies.ts';

/** Why a file is in the trash. */
export type TrashReason = 'deleted' | 'overwritten' | 'removed from the vault';

/** @property mtime epoch seconds */
export interface TrashedFile extends Kept {
  readonly id: string;
  readonly reason: TrashReason;
  readonly size: number;
  readonly mtime: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** Time after a deletion in which the server lets it win over a write of the same note, in milliseconds. */
const DELETION_WINS_MS = 60_000;

/**
 * Trash of files that the other side removed or replaced, beside the stored state. A row records a file's former path;
 * if a power cut loses the row, the file remains under its id.
 */
export class Trash implements Disposable {
  readonly #folder: string;
  readonly #db: DatabaseSync;
  readonly #now: () => number;

  private constructor(folder: string, db: DatabaseSync, now: () => number) {
    this.#folder = folder;
    this.#db = db;
    this.#now = now;
  }

  /** Opens the trash in a folder of the stored state, and removes what is too old. */
  static async open(stateFolder: string, now: () => number = Date.now): Promise<Trash> {
    const folder = join(stateFolder, 'trash');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const db = new DatabaseSync(join(stateFolder, 'trash.sqlite'), { timeout: 5000 });
    db.exec(`pragma journal_mode = wal; pragma synchronous = normal;
      create table if not exists trashed (
        id text primary key, path text not null, reason text not null, size integer not null, mtime real not null,
        at integer not null
      ) strict;
      create index if not exists trashed_path on trashed (path, at);
      create table if not exists expected (
        id text primary key, path text not null, reason text not null, size integer not null, mtime real not null
      ) strict;
      create table if not exists restored (path text primary key, at integer not null) strict, without rowid;`);
    const trash = new Trash(folder, db, now);
    await trash.expire();
    return trash;
  }

  newId(): string {
    return randomBytes(12).toString('hex');
  }

  /** Returns the path of a trashed file's bytes. */
  fileOf(id: string): string {
    return join(this.#folder, id);
  }

  /** Notes a file that is about to be taken out of its folder, so that its path is known after a crash. */
  expect({ id, path, reason, size, mtime }: Omit<TrashedFile, 'since'>): void {
    this.#db
      .prepare('insert into expected (id, path, reason, size, mtime) values (?, ?, ?, ?, ?)')
      .run(id, path, reason, size, mtime);
  }

  expected(id: string): Omit<TrashedFile, 'since'> | null {
    const row = this.#db.prepare('select id, path, reason, size, mtime from expected where id = ?').get(id);
    return (row as Omit<TrashedFile, 'since'> | undefined) ?? null;
  }

  /** Forgets a noted file, or all. */
  expectNone(id?: string): void {
    if (id === undefined) this.#db.exec('delete from expected');
    else this.#db.prepare('delete from expected where id = ?').run(id);
  }

  /** Moves a file into the trash. @param from where its bytes are now */
  async add(from: string, file: Omit<TrashedFile, 'since'>): Promise<void> {
    await moveFile(from, this.fileOf(file.id));
    const { id, path, reason, size, mtime } = file;
    this.#db
      .prepare('insert or replace into trashed (id, path, reason, size, mtime, at) values (?, ?, ?, ?, ?, ?)')
      .run(id, path, reason, size, mtime, this.#now());
    this.expectNone(id);
    const copies = this.list(path);
    if (copies.length > KEPT_PER_FILE) await this.#remove(expiredCopies(copies, this.#now()));
  }

  /** Forgets a file that has left the trash. */
  forget(id: string): void {
    this.#db.prepare('delete from trashed where id = ?').run(id);
  }

  /** Paths of restored files that are not on the server yet. */
  readonly restored = {
    has: (path: string): boolean =>
      this.#db.prepare('select 1 from restored where path = ? and at > ?').get(path, this.#now() - DELETION_WINS_MS) !==
      undefined,
    /** Called before the file appears, so that it is not sent without. */
    add: (path: string): void => {
      this.#db.prepare('insert or replace into restored (path, at) values (?, ?)').run(path, this.#now());
    },
    arrived: (path: string): void => {
      this.#db.prepare('delete from restored where path = ?').run(path);
    },
  };

  /** Takes in a file whose move was interrupted; its former path is unknown if a power cut has lost the note of it. */
  async adopt(from: string, id: string): Promise<void> {
    const { size, mtimeMs } = await stat(from);
    const unknown = { id, path: `unknown ${id}`, reason: 'deleted', size, mtime: mtimeMs / 1000 } as const;
    await this.add(from, this.expected(id) ?? unknown);
  }

  /** Lists trashed files, newest first, of one path or of all paths. */
  list(path?: string): TrashedFile[] {
    const where = path === undefined ? '' : 'where path = ?';
    const rows = this.#db
      .prepare(`select id, path, reason, size, mtime, at as since from trashed ${where} order by at desc, rowid desc`)
      .all(...(path === undefined ? [] : [path]));
    return rows as unknown as TrashedFile[];
  }

  async #remove(copies: readonly TrashedFile[]): Promise<void> {
    for (const { id } of copies) {
      await rm(this.fileOf(id), { force: true });
      this.forget(id);
    }
  }

  async expire(): Promise<void> {
    const crowded = `path in (select path from trashed group by path having count(*) > ${KEPT_PER_FILE})`;
    const rows = this.#db
      .prepare(`select id, path, at as since from trashed where at < ? or ${crowded} order by rowid desc`)
      .all(this.#now() - KEPT_DAYS * DAY_MS);
    await this.#remove(expiredCopies(rows as unknown as TrashedFile[], this.#now()));
    this.#db.prepare('delete from restored where at <= ?').run(this.#now() - DELETION_WINS_MS);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Moves a file, also to another file system; its bytes are at one of the two places at any time. */
async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    const copy = await open(to, 'r+');
    try {
      await copy.sync();
    } finally {
      await copy.close();
    }
    await rm(from);
  }
}
