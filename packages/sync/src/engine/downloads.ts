import { mergeTexts } from '@notevault/note-text/merge/merge-texts.ts';
import type { DownOperation, LocalMove } from '../plan/operations.ts';
import { agreedHash, kindOf } from '../plan/trees.ts';
import { agreeOnContent, agreeOnPath } from './agreement.ts';
import { decoded, type FileContents, once, wholeOf } from './file-contents.ts';
import { isComparedByValue, isSameValue } from './json-values.ts';
import { CHANGED, DONE, NO_TEXT, type Outcome } from './outcome.ts';
import type { Disk, DiskFile, Intent, Server } from './ports.ts';
import type { SyncState } from './sync-state.ts';
import type { Parts } from './uploads.ts';

/** Changes the disk. */
export class Downloads {
  readonly #disk: Disk;
  readonly #server: Server;
  readonly #contents: FileContents;
  readonly #state: SyncState;
  readonly #entries: ReadonlyMap<string, DiskFile>;
  readonly #isLong: boolean;

  /** @param entries @param isLong see Executor */
  constructor({ disk, server, contents, state }: Parts, entries: ReadonlyMap<string, DiskFile>, isLong: boolean) {
    this.#disk = disk;
    this.#server = server;
    this.#contents = contents;
    this.#state = state;
    this.#entries = entries;
    this.#isLong = isLong;
  }

  async run(operation: DownOperation): Promise<Outcome> {
    switch (operation.type) {
      case 'writeLocal':
        return this.#writeLocal(operation);
      case 'mergeLocal':
        return this.#mergeLocal(operation);
      case 'moveLocal': {
        const { id, from, to } = operation;
        return this.#moveMany([{ id, from, to, hash: operation.hash }]);
      }
      case 'moveLocalMany':
        return this.#moveMany(operation.moves);
      case 'setAside': {
        const file = this.#entries.get(operation.from);
        if (file === undefined || this.#state.hashOf(file) !== operation.hash) return CHANGED;
        if (await this.#agreesOnValue(operation.id, file)) return DONE;
        // The record is removed first: after a crash between the two steps, the renamed file would be mistaken for a
        // move of the synced file.
        this.#state.record({ type: 'unsynced', id: operation.id });
        await this.#state.commit();
        return this.#moveMany([{ ...operation, id: null }]);
      }
      case 'moveLocalFolder':
        return this.#moveLocalFolder(operation);
      case 'deleteLocal': {
        const file = this.#entries.get(operation.path);
        if (file === undefined || this.#state.hashOf(file) !== operation.hash) return CHANGED;
        await this.#disk.trash(file, async (bytes) => {
          const { id, hash } = operation;
          return (await this.#contents.hashOfBytes(bytes)) === hash && this.#server.hasInTrash(id, hash);
        });
        this.#state.record({ type: 'unsynced', id: operation.id }, { type: 'hashGone', path: operation.path });
        return DONE;
      }
      case 'makeLocalFolder':
        await this.#disk.makeFolder(operation.path);
        return DONE;
      case 'removeLocalFolder':
        await this.#disk.removeFolder(operation.path);
        return DONE;
    }
  }

  async #writeLocal({ id, path, hash, over }: Extract<DownOperation, { type: 'writeLocal' }>): Promise<Outcome> {
    const file = over === null ? null : this.#entries.get(path);
    if (file === undefined || (file !== null && this.#state.hashOf(file) !== over)) return CHANGED;
    const remote = this.#state.remote.get(id);
    await this.#disk.requireWritable(path);
    const content = remote === undefined ? null : await this.#server.read(remote);
    if (remote === undefined || content?.hash !== hash) return CHANGED;
    const isText = kindOf(path) === 'note' || isComparedByValue({ path, size: content.size });
    const verified = this.#contents.verified(content);
    const whole = isText ? await wholeOf(verified) : null;
    const text = whole === null ? null : decoded(whole);
    const bytes = whole === null ? verified : once(whole);
    const place = { type: 'place', id, path, hash, version: content.version, fileId: null, from: null, over } as const;
    const ready = async (fileId: string | null) => {
      if (text !== null) this.#state.record({ type: 'baseText', hash, text });
      // What is new in a long plan is found by its bytes: of a first sync nothing was renamed yet.
      if (over !== null || !this.#isLong) await this.#state.intend({ ...place, fileId });
    };
    const writing = this.#disk.write(path, { bytes, size: content.size, mtime: remote.mtime }, file, ready);
    const written = await this.#unlessFailed(writing, [place]);
    this.#state.settled(place);
    this.#state.record({ type: 'hash', file: written, hash });
    if (over !== null && file !== null && file.fileId !== null)
      this.#state.replaced.set(id, { fileId: file.fileId, hash: over });
    agreeOnContent(this.#state, { ...remote, version: content.version }, written, { hash, text });
    return DONE;
  }

  /**
   * Returns whether the vault has the value of a file here, which then is agreed on: both sides may have rewritten the
   * same links.
   */
  async #agreesOnValue(id: string, file: DiskFile): Promise<boolean> {
    const remote = this.#state.remote.get(id);
    const read = remote === undefined || !isComparedByValue(file) ? null : await this.#contents.text(file);
    if (remote === undefined || read === null || read.text === null) return false;
    const content = await this.#server.read(remote);
    if (content?.hash !== remote.hash || !isComparedByValue({ path: file.path, size: content.size })) return false;
    const text = await this.#contents.textOf(content);
    if (!isSameValue(read.text, text)) return false;
    this.#state.record({ type: 'hash', file, hash: remote.hash });
    agreeOnContent(this.#state, remote, file, { hash: remote.hash, text });
    return true;
  }

  /** Forgets an intended placement that did not happen. */
  async #unlessFailed<Result>(change: Promise<Result>, placements: readonly Intent[]): Promise<Result> {
    try {
      return await change;
    } catch (error) {
      for (const placement of placements) this.#state.settled(placement);
      throw error;
    }
  }

  /** Afterwards the server's text is the base, and the merged one an edit of it that is not sent. */
  async #mergeLocal({
    id,
    path,
    hash,
    baseHash,
    remoteHash,
  }: Extract<DownOperation, { type: 'mergeLocal' }>): Promise<Outcome> {
    const [file, remote, synced] = [this.#entries.get(path), this.#state.remote.get(id), this.#state.synced.get(id)];
    const read = file === undefined ? null : await this.#contents.text(file);
    if (file === undefined || remote === undefined || synced === undefined) return CHANGED;
    if (agreedHash(synced) !== baseHash || read?.hash !== hash) return CHANGED;
    if (read.text === null) return NO_TEXT;
    const content = await this.#server.read(remote);
    if (content === null || content.hash !== remoteHash) return CHANGED;
    const [theirs, base] = [await this.#contents.textOf(content), await this.#state.baseText(baseHash)];
    if (base === null) {
      // As in an upload, both are kept, like two notes created at one path.
      this.#state.record({ type: 'unsynced', id });
      return CHANGED;
    }
    const bytes = new TextEncoder().encode(mergeTexts(base, read.text, theirs));
    const merged = { bytes: once(bytes), size: bytes.length, mtime: remote.mtime };
    const written = await this.#disk.write(path, merged, file);
    this.#state.record({ type: 'baseText', hash: remoteHash, text: theirs });
    const agreed = { ...synced, hash: remoteHash, version: content.version, fileId: written.fileId, pushed: null };
    this.#state.record({ type: 'synced', file: agreed });
    return DONE;
  }

  async #moveMany(moves: readonly LocalMove[]): Promise<Outcome> {
    const files = moves.flatMap(({ from: path, to, hash }) => {
      const from = this.#entries.get(path);
      return from === undefined || this.#state.hashOf(from) !== hash ? [] : [{ from, to }];
    });
    const [first, ...others] = files;
    if (first === undefined || files.length < moves.length) return CHANGED;
    const placements = moves.flatMap(({ id, from, to: path, hash }, at): Intent[] => {
      const fileId = files[at]?.from.fileId ?? null;
      return id === null ? [] : [{ type: 'place', id, path, hash, version: null, fileId, from, over: null }];
    });
    await this.#state.intend(...placements);
    const isOne = others.length === 0 && moves.length === 1;
    const moving = isOne ? this.#disk.move(first.from, first.to).then((file) => [file]) : this.#disk.moveMany(files);
    const moved = await this.#unlessFailed(moving, placements);
    for (const placement of placements) this.#state.settled(placement);
    for (const { from: path } of moves) this.#state.record({ type: 'hashGone', path });
    for (const [at, { id, to, hash }] of moves.entries()) {
      const file = moved[at];
      if (file !== undefined) this.#state.record({ type: 'hash', file, hash });
      this.#agreeOnTarget(id, to);
    }
    return DONE;
  }

  /** Agrees on the new path of a file here if that is its path in the vault. */
  #agreeOnTarget(id: string | null, to: string): void {
    if (id !== null && this.#state.remote.get(id)?.path === to) agreeOnPath(this.#state, id, to);
  }

  async #moveLocalFolder({ from, to }: Extract<DownOperation, { type: 'moveLocalFolder' }>): Promise<Outcome> {
    await this.#disk.moveFolder(from, to);
    const moved = (path: string) => (path.startsWith(`${from}/`) ? to + path.slice(from.length) : null);
    for (const path of [...this.#state.hashedPaths]) {
      const [after, seen] = [moved(path), this.#state.lastSeen(path)];
      if (after === null || seen === undefined) continue;
      const { file, hash } = seen;
      this.#state.record({ type: 'hashGone', path }, { type: 'hash', file: { ...file, path: after }, hash });
    }
    for (const { id, path } of [...this.#state.synced.values()]) {
      const after = moved(path);
      if (after !== null && this.#state.remote.get(id)?.path === after) agreeOnPath(this.#state, id, after);
    }
    return DONE;
  }
}
