import assert from 'node:assert/strict';
import { ancestorsOf, foldPath, isInside } from '@notevault/note-text/paths.ts';
import type { LocalMove, Operation, RemoteMove } from '../src/plan/operations.ts';
import { agreedHash, kindOf, type SyncedFile, type Trees } from '../src/plan/trees.ts';

// Models a disk, a server and the agreed state as a plan sees them. A file's hash is its content: for a note, all
// letters ever written into it; for an attachment, one word. Carrying out an operation asserts its preconditions, so
// operations of one plan that depend on each other fail.

interface RemoteNote {
  path: string;
  content: string;
  version: number;
}

const withLetters = (...contents: string[]) =>
  [...new Set(contents.flatMap((content) => content.split(' ')))].sort().join(' ');

export class Model {
  readonly local = new Map<string, { content: string; fileId: string | null }>();
  readonly localFolders = new Set<string>();
  readonly remote = new Map<string, RemoteNote>();
  readonly remoteFolders = new Set<string>();
  readonly synced = new Map<string, SyncedFile>();
  readonly syncedFolders = new Set<string>();
  readonly #hasFileIds: boolean;
  #count = 0;

  /** @param hasFileIds whether the disk identifies a file across renames. */
  constructor(hasFileIds: boolean) {
    this.#hasFileIds = hasFileIds;
  }

  get trees(): Trees {
    return {
      local: {
        files: [...this.local].map(([path, { content: hash, fileId }]) => ({ path, hash, fileId })),
        folders: [...this.localFolders],
      },
      remote: {
        files: [...this.remote].map(([id, { path, content: hash, version }]) => ({
          id,
          path,
          hash,
          version: kindOf(path) === 'note' ? version : null,
          mtime: 1,
        })),
        folders: [...this.remoteFolders],
      },
      synced: { files: [...this.synced.values()], folders: [...this.syncedFolders] },
    };
  }

  next(name: string): string {
    this.#count += 1;
    return `${name}${this.#count}`;
  }

  #newFileId(): string | null {
    return this.#hasFileIds ? this.next('inode') : null;
  }

  addLocal(path: string, content: string): void {
    this.#checkFreeLocally(path);
    this.local.set(path, { content, fileId: this.#newFileId() });
    for (const folder of ancestorsOf(path)) this.#addLocalFolder(folder);
  }

  #addLocalFolder(path: string): void {
    const folded = foldPath(path);
    if (![...this.localFolders].some((other) => foldPath(other) === folded)) this.localFolders.add(path);
  }

  addRemote(path: string, content: string, id = this.next('id')): string {
    this.#checkFreeRemotely(path);
    this.remote.set(id, { path, content, version: 1 });
    return id;
  }

  #checkFreeLocally(path: string): void {
    const folded = foldPath(path);
    for (const other of this.local.keys()) {
      assert.notEqual(foldPath(other), folded, `${path} is free on the disk`);
      assert.ok(!isInside(other, path) && !isInside(path, other), `${path} is no folder, and in none that is a file`);
    }
    for (const folder of this.localFolders)
      assert.notEqual(foldPath(folder), folded, `${path} is no folder on the disk`);
  }

  #checkFreeRemotely(path: string, except?: string): void {
    const folded = foldPath(path);
    for (const [id, other] of this.remote) {
      if (id === except) continue;
      assert.notEqual(foldPath(other.path), folded, `${path} is free on the server`);
      assert.ok(!isInside(other.path, path) && !isInside(path, other.path), `${path} fits on the server`);
    }
    for (const folder of this.remoteFolders)
      assert.ok(foldPath(folder) !== folded && !isInside(path, folder), `${path} is no folder on the server`);
  }

  moveLocal(from: string, to: string): void {
    const file = this.local.get(from);
    assert.ok(file !== undefined, `${from} is on the disk`);
    this.local.delete(from);
    this.#checkFreeLocally(to);
    this.local.set(to, file);
    for (const folder of ancestorsOf(to)) this.#addLocalFolder(folder);
  }

  moveRemote(id: string, to: string): void {
    this.#checkFreeRemotely(to, id);
    const file = this.remote.get(id);
    assert.ok(file !== undefined);
    file.path = to;
  }

  moveLocalFolder(from: string, to: string): void {
    const move = (path: string) => to + path.slice(from.length);
    if (foldPath(from) !== foldPath(to)) {
      for (const path of [...this.local.keys(), ...this.localFolders])
        assert.ok(foldPath(path) !== foldPath(to) && !isInside(to, path), `${to} is free on the disk`);
    }
    for (const [path, file] of [...this.local]) {
      if (!isInside(from, path)) continue;
      this.local.delete(path);
      this.local.set(move(path), file);
    }
    for (const folder of [...this.localFolders]) {
      if (folder !== from && !isInside(from, folder)) continue;
      this.localFolders.delete(folder);
      this.localFolders.add(move(folder));
    }
    for (const folder of ancestorsOf(to)) this.#addLocalFolder(folder);
  }

  moveRemoteFolder(from: string, to: string): void {
    const move = (path: string) => to + path.slice(from.length);
    for (const file of this.remote.values()) if (isInside(from, file.path)) file.path = move(file.path);
    for (const folder of [...this.remoteFolders]) {
      if (foldPath(folder) !== foldPath(from) && !isInside(from, folder)) continue;
      this.remoteFolders.delete(folder);
      this.remoteFolders.add(move(folder));
    }
    const folded = [...this.remote.values()].map(({ path }) => foldPath(path));
    assert.equal(new Set(folded).size, folded.length, 'no two files of the server have one path');
  }

  #moveRemoteMany(moves: readonly RemoteMove[]): void {
    for (const { id, from } of moves) {
      const file = this.remote.get(id);
      assert.equal(file?.path, from);
      if (file !== undefined) file.path = `moving ${id}`;
    }
    for (const { id, to } of moves) this.moveRemote(id, to);
    for (const { id } of moves) this.#agreeOnPath(id);
  }

  #moveLocalMany(moves: readonly LocalMove[]): void {
    const files = moves.map(({ from, hash }) => {
      const file = this.local.get(from);
      assert.equal(file?.content, hash);
      this.local.delete(from);
      return file;
    });
    for (const [at, { id, to }] of moves.entries()) {
      this.#dropEmptyFolders(to);
      this.#checkFreeLocally(to);
      const file = files[at];
      if (file !== undefined) this.local.set(to, file);
      for (const folder of ancestorsOf(to)) this.#addLocalFolder(folder);
      if (id !== null) this.#agreeOnPath(id, to);
    }
  }

  /** A disk removes the empty folders where a file takes the place of their folder. */
  #dropEmptyFolders(path: string): void {
    for (const folder of [...this.localFolders]) {
      const isHere = foldPath(folder) === foldPath(path) || isInside(path, folder);
      if (isHere && ![...this.local.keys()].some((file) => isInside(path, file))) this.localFolders.delete(folder);
    }
  }

  /** Carries out an operation without failures. */
  apply(operation: Operation): void {
    switch (operation.type) {
      case 'createRemote': {
        const { path, hash, id: revived } = operation;
        assert.equal(this.local.get(path)?.content, hash);
        const id = this.addRemote(path, hash, revived ?? undefined);
        this.#agree(id, path, hash);
        return;
      }
      case 'pushContent':
        this.#push(operation);
        return;
      case 'moveRemote':
        this.moveRemote(operation.id, operation.to);
        this.#agreeOnPath(operation.id);
        return;
      case 'moveRemoteMany':
        this.#moveRemoteMany(operation.moves);
        return;
      case 'moveRemoteFolder':
        this.moveRemoteFolder(operation.from, operation.to);
        for (const id of operation.ids) this.#agreeOnPath(id);
        return;
      case 'deleteRemote':
        assert.equal(this.remote.get(operation.id)?.content, operation.hash);
        this.remote.delete(operation.id);
        this.synced.delete(operation.id);
        return;
      case 'makeRemoteFolder':
        this.remoteFolders.add(operation.path);
        return;
      case 'removeRemoteFolder':
        for (const folder of this.remoteFolders) {
          if (foldPath(folder) === foldPath(operation.path)) this.remoteFolders.delete(folder);
        }
        return;
      case 'writeLocal':
        this.#write(operation);
        return;
      case 'mergeLocal':
        this.#merge(operation);
        return;
      case 'moveLocal':
        assert.equal(this.local.get(operation.from)?.content, operation.hash);
        this.moveLocal(operation.from, operation.to);
        if (operation.id !== null) this.#agreeOnPath(operation.id, operation.to);
        return;
      case 'moveLocalMany':
        this.#moveLocalMany(operation.moves);
        return;
      case 'moveLocalFolder':
        this.moveLocalFolder(operation.from, operation.to);
        for (const id of operation.ids) if (!id.startsWith('new ')) this.#agreeOnPath(id, null);
        return;
      case 'setAside':
        assert.equal(this.local.get(operation.from)?.content, operation.hash);
        this.moveLocal(operation.from, operation.to);
        this.synced.delete(operation.id);
        return;
      case 'deleteLocal':
        assert.equal(this.local.get(operation.path)?.content, operation.hash);
        this.local.delete(operation.path);
        this.synced.delete(operation.id);
        return;
      case 'makeLocalFolder':
        this.#addLocalFolder(operation.path);
        return;
      case 'removeLocalFolder':
        for (const path of [...this.local.keys(), ...this.localFolders]) assert.ok(!isInside(operation.path, path));
        this.localFolders.delete(operation.path);
        return;
      case 'adopt':
        this.synced.set(operation.file.id, operation.file);
        return;
      case 'forget':
        this.synced.delete(operation.id);
        return;
      case 'adoptFolder':
        this.syncedFolders.add(operation.path);
        return;
      case 'forgetFolder':
        for (const folder of this.syncedFolders)
          if (foldPath(folder) === foldPath(operation.path)) this.syncedFolders.delete(folder);
        return;
    }
  }

  #agree(id: string, localPath: string, hash: string): void {
    const remote = this.remote.get(id);
    const local = this.local.get(localPath);
    assert.ok(remote !== undefined && local !== undefined);
    const version = kindOf(remote.path) === 'note' ? remote.version : null;
    this.synced.set(id, { id, path: remote.path, hash, version, fileId: local.fileId, pushed: null });
  }

  /** Records the agreed path if a move brought both sides to one path. */
  #agreeOnPath(id: string, localPath?: string | null): void {
    const [synced, remote] = [this.synced.get(id), this.remote.get(id)];
    if (synced === undefined || remote === undefined) return;
    const at = localPath ?? remote.path;
    if (this.local.has(at) && at === remote.path) this.synced.set(id, { ...synced, path: at });
  }

  #push({ id, hash, remoteHash, base }: Extract<Operation, { type: 'pushContent' }>): void {
    const [remote, synced] = [this.remote.get(id), this.synced.get(id)];
    assert.ok(remote !== undefined && synced !== undefined);
    assert.equal(remote.content, remoteHash);
    assert.equal(agreedHash(synced), base.hash);
    const path = [...this.local].find(([, { content }]) => content === hash)?.[0];
    assert.ok(path !== undefined);
    const isNote = kindOf(remote.path) === 'note';
    const merged = isNote ? withLetters(remote.content, hash) : hash;
    if (merged !== remote.content) remote.version += 1;
    remote.content = merged;
    const version = isNote ? remote.version : null;
    this.synced.set(id, { ...synced, hash: merged, version, pushed: merged === hash ? null : hash });
  }

  #merge({ id, path, hash, baseHash, remoteHash }: Extract<Operation, { type: 'mergeLocal' }>): void {
    const [remote, synced] = [this.remote.get(id), this.synced.get(id)];
    assert.ok(remote !== undefined && synced !== undefined);
    const found = [this.local.get(path)?.content, agreedHash(synced), remote.content];
    assert.deepEqual(found, [hash, baseHash, remoteHash]);
    const fileId = this.#newFileId();
    this.local.set(path, { content: withLetters(remote.content, hash), fileId });
    this.synced.set(id, { ...synced, hash: remoteHash, version: remote.version, fileId, pushed: null });
  }

  #write({ id, path, hash, over }: Extract<Operation, { type: 'writeLocal' }>): void {
    assert.equal(this.remote.get(id)?.content, hash);
    if (over === null) this.addLocal(path, hash);
    else {
      assert.equal(this.local.get(path)?.content, over);
      // Written to a temporary file and renamed over the old one: the disk gives it a new id.
      this.local.set(path, { content: hash, fileId: this.#newFileId() });
    }
    this.#agree(id, path, hash);
  }
}
