import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type Deletion,
  type DiskFile,
  FolderGone,
  type Intent,
  type Refusal,
  type StateChange,
  type StateStore,
  type StoredState,
} from '@notevault/sync/engine/ports.ts';
import type { RemoteFile, SyncedFile } from '@notevault/sync/plan/trees.ts';

const SCHEMA_VERSION = 2;
const SCHEMA = `
  create table synced (
    id text primary key, path text not null, hash text not null, version integer, file_id text, pushed text
  ) strict, without rowid;
  create table folders (path text primary key) strict, without rowid;
  create table remote (
    id text primary key, path text not null, hash text not null, version integer, mtime real not null
  ) strict, without rowid;
  create table hashes (
    path text primary key, size integer not null, mtime_ms real not null, ctime_ms real not null, file_id text,
    hash text not null
  ) strict, without rowid;
  create table refused (key text primary key, path text not null, reason text not null, until real not null)
    strict, without rowid;
  create table base_texts (hash text primary key, text text not null) strict;
  create table intents (key text primary key, intent text not null) strict, without rowid;
  create table single (name text primary key, value text) strict, without rowid;
`;

const USED_TEXTS = `
  select hash from synced
  union select pushed from synced where pushed is not null
  union select intent ->> '$.hash' from intents where intent ->> '$.hash' is not null
  union select intent ->> '$.sent' from intents where intent ->> '$.sent' is not null
`;

/**
 * Migration from version 1, in which a merged text had the sent text as its base: the text is sent again as an edit.
 */
const SECOND = `
  create table intents (key text primary key, intent text not null) strict, without rowid;
  update synced set pushed = null;
`;

/** Disk faults by SQLite's primary result code. */
const DISK_FAULTS: Readonly<Record<number, string>> = {
  8: 'it is read-only',
  10: 'the disk reports errors',
  13: 'the disk is full: make room',
};

/** Thrown when a newer version of the program wrote the state. */
export class NewerState extends Error {
  override readonly name = 'NewerState';
}

/** State of one synced folder in an SQLite file. Committed changes survive a power cut. */
export class SqliteStore implements StateStore, Disposable {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(db: DatabaseSync) {
    this.#db = db;
  }

  static open(file: string): SqliteStore {
    // SQLite would create a file that other users can read.
    closeSync(openSync(file, 'a', 0o600));
    const db = new DatabaseSync(file, { timeout: 5000 });
    try {
      db.exec('pragma journal_mode = wal; pragma synchronous = full;');
      const { user_version: version } = db.prepare('pragma user_version').get() as { user_version: number };
      if (version > SCHEMA_VERSION) throw new NewerState(`${file} was written by a newer notevault: update this one.`);
      const steps = version === 0 ? SCHEMA : SECOND;
      if (version < SCHEMA_VERSION)
        db.exec(`begin immediate; ${steps} pragma user_version = ${SCHEMA_VERSION}; commit;`);
      db.exec(`delete from base_texts where hash not in (${USED_TEXTS})`);
      return new SqliteStore(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  async load(): Promise<StoredState> {
    // SQLite's row objects take several times the memory of plain objects.
    const rows = <Row, Item>(sql: string, item: (row: Row) => Item): Item[] => {
      const items: Item[] = [];
      for (const row of this.#prepared(sql).iterate()) items.push(item(row as Row));
      return items;
    };
    const strings = new Map<string, string>();
    /** Returns one shared copy of equal strings: paths and hashes occur in several tables. */
    const shared = <Value extends string | null>(value: Value): Value => {
      if (value === null) return value;
      const known = strings.get(value);
      if (known === undefined) strings.set(value, value);
      return (known ?? value) as Value;
    };
    const value = (name: string): string | null => {
      const row = this.#prepared('select value from single where name = ?').get(name) as { value: string } | undefined;
      return row?.value ?? null;
    };
    return {
      synced: rows(
        'select id, path, hash, version, file_id as fileId, pushed from synced',
        ({ id, path, hash, version, fileId, pushed }: SyncedFile): SyncedFile => ({
          id: shared(id),
          path: shared(path),
          hash: shared(hash),
          version,
          fileId: shared(fileId),
          pushed,
        }),
      ),
      folders: rows('select path from folders', ({ path }: { path: string }) => path),
      remote: rows(
        'select id, path, hash, version, mtime from remote',
        ({ id, path, hash, version, mtime }: RemoteFile): RemoteFile => ({
          id: shared(id),
          path: shared(path),
          hash: shared(hash),
          version,
          mtime,
        }),
      ),
      remoteFolders: JSON.parse(value('remoteFolders') ?? '[]') as string[],
      remoteFoldersSeq: JSON.parse(value('remoteFoldersSeq') ?? 'null') as number | null,
      cursor: value('cursor'),
      isReadOnly: value('access') === 'read',
      hashes: rows(
        'select path, size, mtime_ms as mtimeMs, ctime_ms as ctimeMs, file_id as fileId, hash from hashes',
        ({ path, size, mtimeMs, ctimeMs, fileId, hash }: DiskFile & { hash: string }) => ({
          path: shared(path),
          size,
          mtimeMs,
          ctimeMs,
          fileId: shared(fileId),
          hash: shared(hash),
        }),
      ),
      refused: rows(
        'select key, path, reason, until from refused',
        ({ key, path, reason, until }: Refusal): Refusal => ({ key, path, reason, until }),
      ),
      deletions: JSON.parse(value('deletions') ?? '[]') as Deletion[],
      intents: rows('select intent from intents', ({ intent }: { intent: string }) => JSON.parse(intent) as Intent),
    };
  }

  /** Throws FolderGone when the disk of the state is full or broken. */
  async commit(changes: readonly StateChange[]): Promise<void> {
    try {
      this.#db.exec('begin immediate');
      for (const change of changes) this.#apply(change);
      this.#db.exec('commit');
    } catch (error) {
      // SQLite itself has rolled back after some errors of the disk.
      if (this.#db.isTransaction) this.#db.exec('rollback');
      throw this.#unstorable(error);
    }
  }

  async baseText(hash: string): Promise<string | null> {
    const row = this.#prepared('select text from base_texts where hash = ?').get(hash) as { text: string } | undefined;
    return row?.text ?? null;
  }

  #apply(change: StateChange): void {
    switch (change.type) {
      case 'synced': {
        const { id, path, hash, version, fileId, pushed } = change.file;
        const sql =
          'insert or replace into synced (id, path, hash, version, file_id, pushed) values (?, ?, ?, ?, ?, ?)';
        this.#run(sql, id, path, hash, version, fileId, pushed);
        return;
      }
      case 'unsynced':
        this.#run('delete from synced where id = ?', change.id);
        return;
      case 'folder':
        if (change.isSynced) this.#run('insert or replace into folders (path) values (?)', change.path);
        else this.#run('delete from folders where path = ?', change.path);
        return;
      case 'remote': {
        const { id, path, hash, version, mtime } = change.file;
        const sql = 'insert or replace into remote (id, path, hash, version, mtime) values (?, ?, ?, ?, ?)';
        this.#run(sql, id, path, hash, version, mtime);
        return;
      }
      case 'remoteGone':
        this.#run('delete from remote where id = ?', change.id);
        return;
      case 'remoteFolders':
        this.#single('remoteFolders', JSON.stringify(change.paths));
        this.#single('remoteFoldersSeq', JSON.stringify(change.seq));
        return;
      case 'cursor':
        this.#single('cursor', change.cursor);
        return;
      case 'access':
        this.#single('access', change.isReadOnly ? 'read' : 'write');
        return;
      case 'hash': {
        const { path, size, mtimeMs, ctimeMs, fileId } = change.file;
        const columns = 'path, size, mtime_ms, ctime_ms, file_id, hash';
        const sql = `insert or replace into hashes (${columns}) values (?, ?, ?, ?, ?, ?)`;
        this.#run(sql, path, size, mtimeMs, ctimeMs, fileId, change.hash);
        return;
      }
      case 'hashGone':
        this.#run('delete from hashes where path = ?', change.path);
        return;
      case 'refused': {
        const { key, path, reason, until } = change.refusal;
        this.#run(
          'insert or replace into refused (key, path, reason, until) values (?, ?, ?, ?)',
          key,
          path,
          reason,
          until,
        );
        return;
      }
      case 'retried':
        this.#run('delete from refused where key = ?', change.key);
        return;
      case 'intent':
        this.#run(
          'insert or replace into intents (key, intent) values (?, ?)',
          change.key,
          JSON.stringify(change.intent),
        );
        return;
      case 'settled':
        this.#run('delete from intents where key = ?', change.key);
        return;
      case 'deletions':
        this.#single('deletions', JSON.stringify(change.deletions));
        return;
      case 'baseText':
        this.#run('insert or ignore into base_texts (hash, text) values (?, ?)', change.hash, change.text);
        return;
    }
  }

  /** Returns an error of the disk with what to do about it; any other as it is. */
  #unstorable(error: unknown): unknown {
    const { errcode = 0 } = error as { errcode?: number };
    const fault = DISK_FAULTS[errcode & 0xff];
    if (fault === undefined) return error;
    return new FolderGone(`${this.#db.location()} cannot be written: ${fault}.`, { cause: error });
  }

  #single(name: string, value: string | null): void {
    this.#run('insert or replace into single (name, value) values (?, ?)', name, value);
  }

  #run(sql: string, ...values: readonly (string | number | null)[]): void {
    this.#prepared(sql).run(...values);
  }

  #prepared(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}
