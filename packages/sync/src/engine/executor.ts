import type { DownOperation, Operation, UpOperation } from '../plan/operations.ts';
import { agreedPath } from '../plan/planner.ts';
import { kindOf, type RemoteFile } from '../plan/trees.ts';
import { type FileContents, once, wholeOf } from './file-contents.ts';
import { isComparedByValue } from './json-values.ts';
import { mergeTexts } from './merge-texts.ts';
import {
  type Content,
  type Disk,
  DiskChanged,
  type DiskFile,
  DiskRefused,
  type Refused,
  type Server,
  type Written,
} from './ports.ts';
import type { SyncState } from './sync-state.ts';

/** The result of an operation. `changed`: what it assumed no longer holds, so nothing was done. */
export type Outcome = { readonly kind: 'done' | 'changed' } | Refused;

const DONE: Outcome = { kind: 'done' };
const CHANGED: Outcome = { kind: 'changed' };

/** Carries out operations and records the resulting agreed state. */
export class Executor {
  readonly #disk: Disk;
  readonly #contents: FileContents;
  readonly #server: Server;
  readonly #state: SyncState;
  readonly #entries: ReadonlyMap<string, DiskFile>;

  /** @param entries the files on which the plan is based, by path. */
  constructor(
    disk: Disk,
    contents: FileContents,
    server: Server,
    state: SyncState,
    entries: ReadonlyMap<string, DiskFile>,
  ) {
    this.#disk = disk;
    this.#contents = contents;
    this.#server = server;
    this.#state = state;
    this.#entries = entries;
  }

  /** Throws the errors of the server port; a refusal by the disk is returned as an outcome. */
  async run(operation: Operation): Promise<Outcome> {
    try {
      return await this.#run(operation);
    } catch (error) {
      if (error instanceof DiskChanged) return CHANGED;
      if (error instanceof DiskRefused) return { kind: 'refused', reason: error.message };
      throw error;
    }
  }

  #run(operation: Operation): Promise<Outcome> | Outcome {
    switch (operation.type) {
      case 'adopt':
        return this.#adopt(operation.file);
      case 'forget':
        this.#state.record({ type: 'unsynced', id: operation.id });
        return DONE;
      case 'adoptFolder':
        return this.#folder(operation.path, true);
      case 'forgetFolder':
        return this.#folder(operation.path, false);
      case 'createRemote':
      case 'pushContent':
      case 'moveRemote':
      case 'moveRemoteFolder':
      case 'deleteRemote':
      case 'makeRemoteFolder':
      case 'removeRemoteFolder':
        return this.#up(operation);
      default:
        return this.#down(operation);
    }
  }

  async #up(operation: UpOperation): Promise<Outcome> {
    switch (operation.type) {
      case 'createRemote':
        return kindOf(operation.path) === 'note'
          ? ((await this.createNotes([operation]))[0] ?? CHANGED)
          : this.#putAttachment(operation.path, operation.path, operation.hash, null, operation.id);
      case 'pushContent':
        return kindOf(operation.path) === 'note'
          ? this.#pushNote(operation)
          : this.#putAttachment(operation.path, operation.localPath, operation.hash, operation.remoteHash);
      case 'moveRemote': {
        const { id, from, to } = operation;
        const written = await this.#server.move({ id, path: from }, to);
        return this.#recorded(written, ({ path }) => this.#agreeOnPath(id, path));
      }
      case 'moveRemoteFolder': {
        const { from, to, ids } = operation;
        if ((await this.#server.moveFolder(from, to)) === 'changed') return CHANGED;
        for (const id of ids) {
          const file = this.#state.remote.get(id);
          if (file === undefined) continue;
          const path = to + file.path.slice(from.length);
          this.#state.record({ type: 'remote', file: { ...file, path } });
          this.#agreeOnPath(id, path);
        }
        return DONE;
      }
      case 'deleteRemote': {
        const { id, path, hash } = operation;
        if ((await this.#server.delete({ id, path, hash })) === 'changed') return CHANGED;
        this.#state.record({ type: 'remoteGone', id }, { type: 'unsynced', id });
        return DONE;
      }
      case 'makeRemoteFolder':
        return (await this.#server.makeFolder(operation.path)) === 'made' ? DONE : CHANGED;
      case 'removeRemoteFolder':
        await this.#server.removeFolder(operation.path);
        return DONE;
    }
  }

  /** Creates notes in one request; returns one outcome per operation, in order. */
  async createNotes(operations: readonly Extract<UpOperation, { type: 'createRemote' }>[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = operations.map(() => CHANGED);
    const items: { readonly at: number; readonly file: DiskFile; readonly hash: string; readonly text: string }[] = [];
    for (const [at, { path, hash, id }] of operations.entries()) {
      if (this.#isElsewhere(id)) continue;
      const file = this.#entries.get(path);
      const read = file === undefined ? null : await this.#contents.text(file);
      if (file === undefined || read === null || read.hash !== hash) continue;
      if (read.text === null) outcomes[at] = NO_TEXT;
      else items.push({ at, file, hash, text: read.text });
    }
    if (items.length === 0) return outcomes;
    const written = await this.#server.createNotes(
      items.map(({ at, file, text }) => ({
        path: file.path,
        text,
        mtime: file.mtimeMs / 1000,
        id: operations[at]?.id ?? null,
      })),
    );
    for (const [index, { at, file, hash, text }] of items.entries()) {
      outcomes[at] = this.#recorded(written[index] ?? { kind: 'changed' }, (remote) => {
        this.#replaced(operations[at]?.id ?? null, remote);
        this.#agreeOnContent(remote, file, hash, text);
      });
    }
    return outcomes;
  }

  async #pushNote({
    id,
    path,
    localPath,
    hash,
    base,
  }: Extract<UpOperation, { type: 'pushContent' }>): Promise<Outcome> {
    const file = this.#entries.get(localPath);
    const read = file === undefined ? null : await this.#contents.text(file);
    if (file === undefined || read?.hash !== hash) return CHANGED;
    if (read.text === null) return NO_TEXT;
    const { text } = read;
    const note = { path, text, mtime: file.mtimeMs / 1000 };
    let written =
      base.version === null ? ({ kind: 'version gone' } as const) : await this.#server.pushNote(id, note, base.version);
    if (written.kind === 'version gone') written = await this.#pushMerged(id, note, base.hash);
    return this.#recorded(written, (remote) => this.#agreeOnContent(remote, file, hash, text));
  }

  /** Merges locally, because the server no longer has the base version. */
  async #pushMerged(id: string, note: Parameters<Server['pushNote']>[1], baseHash: string): Promise<Written> {
    const content = await this.#server.read({ id, path: note.path });
    if (content === null || content.version === null) return { kind: 'changed' };
    const theirs = await this.#textOf(content);
    const base = await this.#state.baseText(baseHash);
    if (base === null) {
      // Without the common base the two texts cannot be merged: both are kept, like two notes created at one path.
      this.#state.record({ type: 'unsynced', id });
      return { kind: 'changed' };
    }
    const written = await this.#server.pushNote(
      id,
      { ...note, text: mergeTexts(base, note.text, theirs) },
      content.version,
    );
    return written.kind === 'version gone' ? { kind: 'changed' } : written;
  }

  async #putAttachment(
    path: string,
    localPath: string,
    hash: string,
    over: string | null,
    revived: string | null = null,
  ): Promise<Outcome> {
    const file = this.#entries.get(localPath);
    if (this.#isElsewhere(revived) || file === undefined || this.#state.hashOf(file) !== hash) return CHANGED;
    const bytes = () => this.#disk.read(file);
    const written = await this.#server.putAttachment(path, bytes, file.size, file.mtimeMs / 1000, over);
    return this.#recorded(written, (remote) => {
      this.#replaced(revived, remote);
      this.#agreeOnContent(remote, file, hash, null);
    });
  }

  async #down(operation: DownOperation): Promise<Outcome> {
    switch (operation.type) {
      case 'writeLocal':
        return this.#writeLocal(operation);
      case 'mergeLocal':
        return this.#mergeLocal(operation);
      case 'moveLocal': {
        const { id, from, to } = operation;
        const moved = await this.#moveLocal(from, to, operation.hash);
        if (moved && id !== null && this.#state.remote.get(id)?.path === to) this.#agreeOnPath(id, to);
        return moved ? DONE : CHANGED;
      }
      case 'setAside': {
        const file = this.#entries.get(operation.from);
        if (file === undefined || this.#state.hashOf(file) !== operation.hash) return CHANGED;
        // The record is removed first: after a crash between the two steps, the renamed file would be mistaken for a
        // move of the synced file.
        this.#state.record({ type: 'unsynced', id: operation.id });
        await this.#state.commit();
        return (await this.#moveLocal(operation.from, operation.to, operation.hash)) ? DONE : CHANGED;
      }
      case 'moveLocalFolder':
        return this.#moveLocalFolder(operation);
      case 'deleteLocal': {
        const file = this.#entries.get(operation.path);
        if (file === undefined || this.#state.hashOf(file) !== operation.hash) return CHANGED;
        await this.#disk.trash(file);
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
    const content = remote === undefined ? null : await this.#server.read(remote);
    if (remote === undefined || content?.hash !== hash) return CHANGED;
    const isText = kindOf(path) === 'note' || isComparedByValue({ path, size: content.size });
    const verified = this.#contents.verified(content);
    const whole = isText ? await wholeOf(verified) : null;
    const text = whole === null ? null : decoded(whole);
    const bytes = whole === null ? verified : once(whole);
    const written = await this.#disk.write(path, { bytes, size: content.size, mtime: remote.mtime }, file);
    this.#state.record({ type: 'hash', file: written, hash });
    this.#agreeOnContent({ ...remote, version: content.version }, written, hash, text);
    return DONE;
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
    if (file === undefined || remote === undefined || synced?.hash !== baseHash || read?.hash !== hash) return CHANGED;
    if (read.text === null) return NO_TEXT;
    const content = await this.#server.read(remote);
    if (content === null || content.hash !== remoteHash) return CHANGED;
    const [theirs, base] = [await this.#textOf(content), await this.#state.baseText(baseHash)];
    if (base === null) {
      // As in `#pushMerged`: both are kept, like two notes created at one path.
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

  async #moveLocal(from: string, to: string, hash: string): Promise<boolean> {
    const file = this.#entries.get(from);
    if (file === undefined || this.#state.hashOf(file) !== hash) return false;
    const moved = await this.#disk.move(file, to);
    this.#state.record({ type: 'hashGone', path: from }, { type: 'hash', file: moved, hash });
    return true;
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
      if (after !== null && this.#state.remote.get(id)?.path === after) this.#agreeOnPath(id, after);
    }
    return DONE;
  }

  /** Throws DiskRefused for bytes that are not those announced: they must not be merged either. */
  async #textOf(content: Content): Promise<string> {
    return decoded(await wholeOf(this.#contents.verified(content)));
  }

  #adopt(file: Parameters<SyncState['synced']['set']>[1]): Outcome {
    this.#state.record({ type: 'synced', file });
    return DONE;
  }

  #folder(path: string, isSynced: boolean): Outcome {
    this.#state.record({ type: 'folder', path, isSynced });
    return DONE;
  }

  #recorded(written: Written, agree: (file: RemoteFile) => void): Outcome {
    if (written.kind !== 'written') return written;
    this.#state.record({ type: 'remote', file: written.file });
    agree(written.file);
    return DONE;
  }

  /**
   * Whether a file that seems deleted lives at an ignored path of the vault. It cannot come back under its id, so the
   * local one becomes a file of its own.
   */
  #isElsewhere(id: string | null): boolean {
    if (id === null || !this.#state.remote.has(id)) return false;
    this.#state.record({ type: 'unsynced', id });
    return true;
  }

  /** Drops the record of the old id if the revived file came back under another one. */
  #replaced(id: string | null, { id: now }: RemoteFile): void {
    if (id !== null && id !== now) this.#state.record({ type: 'unsynced', id });
  }

  #agreeOnPath(id: string, path: string): void {
    const synced = this.#state.synced.get(id);
    if (synced !== undefined) this.#state.record({ type: 'synced', file: { ...synced, path } });
  }

  /**
   * Records the agreed content after a transfer. If the server merged the upload with other edits, the base stays what
   * it was. It merges no attachments: where one has other bytes than those that were sent, both are kept.
   */
  #agreeOnContent(remote: RemoteFile, local: DiskFile, hash: string, text: string | null): void {
    const { id, version } = remote;
    const { fileId } = local;
    const path = agreedPath(local.path, remote.path, this.#state.synced.get(id));
    if (remote.hash === hash) {
      if (text !== null) this.#state.record({ type: 'baseText', hash, text });
      this.#state.record({ type: 'synced', file: { id, path, hash, version, fileId, pushed: null } });
      return;
    }
    const synced = this.#state.synced.get(id);
    if (synced !== undefined && kindOf(remote.path) === 'note')
      this.#state.record({ type: 'synced', file: { ...synced, pushed: hash } });
  }
}

const NO_TEXT: Outcome = { kind: 'refused', reason: 'is no text in UTF-8' };

function decoded(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
