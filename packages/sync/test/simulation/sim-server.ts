import { mergeTexts } from '@notevault/note-text/merge/merge-texts.ts';
import { ancestorsOf, fileName, foldPath, isInside, joinPath } from '@notevault/note-text/paths.ts';
import type { Random } from '../../../../server/test/kit/random.ts';
import {
  type ChangesPage,
  type Content,
  type KnownText,
  type NoteText,
  type Server,
  ServerUnreachable,
  VaultGone,
  type Written,
} from '../../src/engine/ports.ts';
import type { RemoteMove } from '../../src/plan/operations.ts';
import { kindOf, type RemoteFile } from '../../src/plan/trees.ts';
import { hashOf } from './sim-disk.ts';

interface Row {
  readonly id: string;
  path: string;
  content: string;
  version: number;
  seq: number;
  deleted: boolean;
  mtime: number;
  /** Texts of the kept versions. */
  readonly versions: Map<number, string>;
  readonly fingerprints: Set<string>;
}

/** Role of a device's user in the vault. */
export type Standing = 'editor' | 'viewer' | 'removed';

const CHANGED = { kind: 'changed' } as const;

/** A vault in memory that follows the rules of the API, as far as a device relies on them. */
export class SimServer {
  readonly #rows = new Map<string, Row>();
  readonly #folders = new Map<string, string>();
  readonly #random: Random;
  #seq = 0;
  #epoch = 1;
  #ids = 0;
  isDown = false;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Increases with each change. */
  get seq(): number {
    return this.#seq;
  }

  get live(): Row[] {
    return [...this.#rows.values()].filter(({ deleted }) => !deleted);
  }

  get folders(): readonly string[] {
    return [...this.#folders.values()];
  }

  #at(path: string): Row | undefined {
    const folded = foldPath(path);
    return this.live.find((row) => foldPath(row.path) === folded);
  }

  #fits(path: string, except?: Row): boolean {
    const folded = foldPath(path);
    const others = this.live.filter((row) => row !== except).map((row) => foldPath(row.path));
    if (others.some((other) => other === folded || isInside(other, folded) || isInside(folded, other))) return false;
    return ![...this.#folders.keys()].some((folder) => folder === folded || isInside(folded, folder));
  }

  /** Returns the path in the spelling of the existing folders. */
  #spelled(path: string): string {
    const there = new Map(
      [...this.live.flatMap((row) => ancestorsOf(row.path)), ...this.folders].map((folder) => [
        foldPath(folder),
        folder,
      ]),
    );
    let at = '';
    for (const name of path.split('/').slice(0, -1)) at = there.get(foldPath(joinPath(at, name))) ?? joinPath(at, name);
    return joinPath(at, fileName(path));
  }

  #touch(row: Row): void {
    this.#seq += 1;
    row.seq = this.#seq;
  }

  #write(row: Row, content: string, mtime: number): void {
    if (content !== row.content) {
      row.version += 1;
      row.content = content;
      row.versions.set(row.version, content);
    }
    row.mtime = mtime;
    this.#touch(row);
  }

  #create(path: string, content: string, mtime: number, id: string | null): Row | null {
    if (!this.#fits(path)) return null;
    const old = id === null ? undefined : this.#rows.get(id);
    if (old !== undefined && !old.deleted) return null;
    const row: Row = old ?? {
      id: id ?? `id${++this.#ids}`,
      path,
      content,
      version: 0,
      seq: 0,
      deleted: false,
      mtime,
      versions: new Map(),
      fingerprints: new Set(),
    };
    row.path = this.#spelled(path);
    row.deleted = false;
    row.version += 1;
    row.content = content;
    row.versions.set(row.version, content);
    this.#rows.set(row.id, row);
    this.#touch(row);
    return row;
  }

  // Changes by assistants and other clients.

  agentCreate(path: string, content: string): boolean {
    return this.#create(path, content, this.#seq + 1, null) !== null;
  }

  /** @param mtime epoch seconds; no two files have the same, because a disk may tell files apart by nothing else */
  agentWrite(row: Row, content: string, mtime = this.#seq + 1): void {
    this.#write(row, content, mtime);
  }

  agentMove(row: Row, to: string): void {
    if (!this.#fits(to, row)) return;
    row.path = this.#spelled(to);
    this.#touch(row);
  }

  /** Renames files, all or none; returns the paths that they got, by id, and null where it is not possible. */
  renameMany(moves: readonly RemoteMove[]): ReadonlyMap<string, string> | null {
    const rows = moves.map(({ id }) => this.#rows.get(id));
    if (rows.some((row, at) => row === undefined || row.deleted || row.path !== moves[at]?.from)) return null;
    const moving = rows as Row[];
    const back = () => {
      for (const [at, row] of moving.entries()) row.path = moves[at]?.from ?? '';
      return null;
    };
    for (const row of moving) row.path = `moving ${row.id}`;
    for (const [at, row] of moving.entries()) {
      const to = moves[at]?.to ?? '';
      if (!this.#fits(to, row)) return back();
      row.path = this.#spelled(to);
    }
    for (const row of moving) this.#touch(row);
    return new Map(moving.map(({ id, path }) => [id, path]));
  }

  agentDelete(row: Row): void {
    row.deleted = true;
    this.#touch(row);
  }

  agentMakeFolder(path: string): void {
    const folded = foldPath(path);
    if (this.live.some((row) => foldPath(row.path) === folded || isInside(row.path, path))) return;
    this.#folders.set(folded, path);
    this.#seq += 1;
  }

  /** Drops the old versions. */
  forgetVersions(): void {
    for (const row of this.#rows.values())
      for (const version of row.versions.keys()) if (version < row.version) row.versions.delete(version);
  }

  /** Restores a backup that lacks the newest file and has an older state of another. */
  restore(): void {
    this.#epoch += 1;
    const [last, other] = this.live.sort((a, b) => b.seq - a.seq);
    if (last !== undefined) this.#rows.delete(last.id);
    const before = other?.versions.get(other.version - 1);
    if (other === undefined || before === undefined) return;
    other.versions.delete(other.version);
    other.version -= 1;
    other.content = before;
    other.fingerprints.clear();
  }

  /**
   * Returns the vault as one device reaches it. `turn` throws the failures of the device's process and of the
   * connection.
   *
   * @param reader says at each moment whether the person of the device has the vault, and may write to it.
   */
  reachedBy(turn: () => Promise<void>, reader: () => Standing = () => 'editor'): Server {
    const shown = ({ id, path, content, version, mtime }: Row): RemoteFile => ({
      id,
      path,
      mtime,
      hash: hashOf(content),
      version: kindOf(path) === 'note' ? version : null,
    });
    const written = (row: Row | null): Written =>
      row === null ? { kind: 'changed' } : { kind: 'written', file: shown(row), text: row.content };
    const live = (id: string, path?: string): Row | undefined => {
      const row = this.#rows.get(id);
      return row?.deleted === false && (path === undefined || row.path === path) ? row : undefined;
    };
    /** Whether the server last told the device that it is read-only. */
    let isToldReadOnly = false;
    /** The answer may get lost after the work is done, and the work may be done twice. */
    const answer = async <Result>(work: () => Result): Promise<Result> => {
      await turn();
      if (this.isDown) throw new ServerUnreachable('down');
      if (reader() === 'removed') throw new VaultGone('removed');
      let result = work();
      if (this.#random.chance(0.03)) result = work();
      await turn();
      if (this.isDown || this.#random.chance(0.03)) throw new ServerUnreachable('the answer is lost');
      return result;
    };
    /** Work that only an editor may do; nothing is sent by a device that knows that its person is none. */
    const write = <Result>(work: () => Result, refused: Result): Promise<Result> => {
      if (isToldReadOnly) throw new Error('a viewer’s device sends something');
      return answer(() => (reader() === 'viewer' ? refused : work()));
    };
    return {
      changes: (cursor) =>
        answer((): ChangesPage | null => {
          const [epoch, after] = (cursor ?? `${this.#epoch} 0`).split(' ').map(Number);
          if (epoch !== this.#epoch) return null;
          const rows = [...this.#rows.values()].filter(({ seq }) => seq > (after ?? 0)).sort((a, b) => a.seq - b.seq);
          const page = rows.slice(0, 5);
          const changes = page.map((row) => ({ ...shown(row), deleted: row.deleted }));
          isToldReadOnly = reader() === 'viewer';
          return {
            isReadOnly: isToldReadOnly,
            changes,
            unreadable: [],
            cursor: `${this.#epoch} ${page.at(-1)?.seq ?? after}`,
            hasMore: rows.length > page.length,
            seq: this.#seq,
          };
        }),
      hasInTrash: async () => false,
      known: (texts) =>
        answer(() => texts.flatMap(({ path, hash }) => this.#knownAt(path, hash, reader() !== 'viewer') ?? [])),
      folders: () => answer(() => this.folders),
      read: ({ id }) =>
        answer((): Content | null => {
          const row = live(id);
          if (row === undefined) return null;
          const { content } = row;
          return { hash: hashOf(content), version: shown(row).version, size: null, bytes: once(content) };
        }),
      createNotes: (notes) =>
        write(
          () => notes.map(({ path, text, mtime, id }) => written(this.#create(path, text, mtime, id))),
          notes.map(() => CHANGED),
        ),
      pushNote: (id, note, version) =>
        write<Written | { kind: 'version gone' }>(() => {
          const row = this.#push(live(id, note.path), note, version);
          return row === 'version gone' ? { kind: 'version gone' } : written(row);
        }, CHANGED),
      putAttachment: async (path, bytes, _size, mtime, over) => {
        let content = '';
        for await (const part of bytes()) content += new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
        return write(() => written(this.#put(path, content, mtime, over)), CHANGED);
      },
      move: ({ id, path }, to) =>
        write<Written>(() => {
          const row = live(id, path);
          if (row === undefined || !this.#fits(to, row)) return CHANGED;
          row.path = this.#spelled(to);
          this.#touch(row);
          return written(row);
        }, CHANGED),
      moveMany: (moves) =>
        write<Awaited<ReturnType<Server['moveMany']>>>(() => {
          const paths = this.renameMany(moves);
          return paths === null ? CHANGED : { kind: 'moved', paths };
        }, CHANGED),
      moveFolder: (from, to) => write<'moved' | 'changed'>(() => this.#moveFolder(from, to), 'changed'),
      delete: ({ id, path, hash }) =>
        write<'deleted' | 'changed'>(() => {
          const row = live(id);
          if (row === undefined) return 'deleted';
          if (row.path !== path || hashOf(row.content) !== hash) return 'changed';
          row.deleted = true;
          this.#touch(row);
          return 'deleted';
        }, 'changed'),
      makeFolder: (path) =>
        write<'made' | 'changed'>(() => {
          if ([path, ...ancestorsOf(path)].some((folder) => this.#at(folder) !== undefined)) return 'changed';
          this.#folders.set(foldPath(path), this.#spelled(`${path}/x`).slice(0, -2));
          this.#seq += 1;
          return 'made';
        }, 'changed'),
      removeFolder: (path) =>
        write(() => {
          if (this.#folders.delete(foldPath(path))) this.#seq += 1;
        }, undefined),
    };
  }

  #knownAt(path: string, hash: string, seesHistory: boolean): KnownText | null {
    const row = this.#at(path);
    if (row === undefined || kindOf(row.path) !== 'note') return null;
    const texts = [...row.versions].filter(([version]) => seesHistory || version === row.version);
    const [version] = texts.findLast(([, text]) => hashOf(text) === hash) ?? [];
    return version === undefined ? null : { path, id: row.id, version };
  }

  #push(row: Row | undefined, note: NoteText, version: number): Row | null | 'version gone' {
    if (row === undefined) return null;
    const fingerprint = `${version} ${hashOf(note.text)}`;
    if (row.fingerprints.has(fingerprint) || note.text === row.content) return row;
    const base = row.versions.get(version);
    if (base === undefined) return 'version gone';
    row.fingerprints.add(fingerprint);
    this.#write(row, mergeTexts(base, note.text, row.content), note.mtime);
    return row;
  }

  #put(path: string, content: string, mtime: number, over: string | null): Row | null {
    const row = this.#at(path);
    if (over === null) return row?.content === content ? row : this.#create(path, content, mtime, null);
    if (row === undefined || (hashOf(row.content) !== over && row.content !== content)) return null;
    this.#write(row, content, mtime);
    return row;
  }

  #moveFolder(from: string, to: string): 'moved' | 'changed' {
    const rows = this.live.filter(({ path }) => isInside(from, path));
    const folders = this.folders.filter((path) => isInside(from, path) || foldPath(path) === foldPath(from));
    if (rows.length + folders.length === 0 || isInside(from, to)) return 'changed';
    const isTaken = (path: string) => foldPath(path) === foldPath(to) || isInside(to, path);
    const files = this.live.filter((row) => !rows.includes(row)).map(({ path }) => path);
    const taken = files.some((path) => isTaken(path) || isInside(path, to)) || this.folders.some(isTaken);
    if (foldPath(from) !== foldPath(to) && taken) return 'changed';
    for (const path of folders) this.#folders.delete(foldPath(path));
    for (const path of folders) this.#folders.set(foldPath(to + path.slice(from.length)), to + path.slice(from.length));
    for (const row of rows) {
      row.path = to + row.path.slice(from.length);
      this.#touch(row);
    }
    this.#seq += 1;
    return 'moved';
  }
}

async function* once(content: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(content);
}
