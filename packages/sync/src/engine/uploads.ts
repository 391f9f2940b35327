import { applyEdits, minimalDiff, type Edit as TextEdit } from '@notevault/note-text/diff/diff.ts';
import { mergeTexts } from '@notevault/note-text/merge/merge-texts.ts';
import type { RemoteMove, UpOperation } from '../plan/operations.ts';
import { agreedHash, kindOf, type RemoteFile } from '../plan/trees.ts';
import { agreeOnContent, agreeOnPath } from './agreement.ts';
import type { FileContents } from './file-contents.ts';
import { CHANGED, DONE, NO_TEXT, type Outcome } from './outcome.ts';
import { type Clock, type Disk, DiskChanged, type DiskFile, type Intent, type Server, type Written } from './ports.ts';
import { keyOfIntent, type SyncState } from './sync-state.ts';

export type CreateRemote = Extract<UpOperation, { type: 'createRemote' }>;
type PushContent = Extract<UpOperation, { type: 'pushContent' }>;

export interface Parts {
  readonly disk: Disk;
  readonly server: Server;
  readonly clock: Clock;
  readonly contents: FileContents;
  readonly state: SyncState;
}

/** A text as an edit of a version. */
interface Edit {
  readonly text: string;
  readonly version: number;
}

/** A note as the folder has it. @property path on the server */
interface LocalNote {
  readonly id: string;
  readonly path: string;
  readonly file: DiskFile;
  readonly hash: string;
  readonly text: string;
}

/** Changes the server. Each request is stored as an intent before it is sent, and removed with what the answer says. */
export class Uploads {
  readonly #disk: Disk;
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #contents: FileContents;
  readonly #state: SyncState;
  readonly #entries: ReadonlyMap<string, DiskFile>;

  /** @param entries the files on which the plan is based, by path. */
  constructor({ disk, server, clock, contents, state }: Parts, entries: ReadonlyMap<string, DiskFile>) {
    this.#disk = disk;
    this.#server = server;
    this.#clock = clock;
    this.#contents = contents;
    this.#state = state;
    this.#entries = entries;
  }

  async run(operation: UpOperation): Promise<Outcome> {
    switch (operation.type) {
      case 'createRemote':
        return kindOf(operation.path) === 'note'
          ? ((await this.createNotes([operation]))[0] ?? CHANGED)
          : this.#createAttachment(operation);
      case 'pushContent':
        return kindOf(operation.path) === 'note' ? this.#pushNote(operation) : this.#pushAttachment(operation);
      case 'moveRemote': {
        const { id, from, to } = operation;
        const intent = { type: 'move', id, to } as const;
        await this.#state.intend(intent);
        const written = await this.#server.move({ id, path: from }, to);
        return this.#recorded(intent, written, ({ path }) => agreeOnPath(this.#state, id, path));
      }
      case 'moveRemoteMany':
        return this.#moveMany(operation.moves);
      case 'moveRemoteFolder':
        return this.#moveFolder(operation);
      case 'deleteRemote': {
        const { id, path, hash } = operation;
        const intent = { type: 'delete', id } as const;
        await this.#state.intend(intent);
        if ((await this.#server.delete({ id, path, hash })) === 'changed') return CHANGED;
        this.#state.record({ type: 'remoteGone', id }, { type: 'unsynced', id });
        this.#state.settled(intent);
        return DONE;
      }
      case 'makeRemoteFolder':
        return (await this.#server.makeFolder(operation.path)) === 'made' ? DONE : CHANGED;
      case 'removeRemoteFolder':
        await this.#server.removeFolder(operation.path);
        return DONE;
    }
  }

  async #moveMany(moves: readonly RemoteMove[]): Promise<Outcome> {
    const intents = moves.map(({ id, to }) => ({ type: 'move', id, to }) as const);
    await this.#state.intend(...intents);
    const moved = await this.#server.moveMany(moves);
    if (moved.kind === 'changed') return CHANGED;
    for (const intent of intents) this.#state.settled(intent);
    if (moved.kind === 'refused') return moved;
    for (const [id, path] of moved.paths) {
      const file = this.#state.remote.get(id);
      if (file !== undefined) this.#state.record({ type: 'remote', file: { ...file, path } });
      agreeOnPath(this.#state, id, path);
    }
    return DONE;
  }

  async #moveFolder({ from, to, ids }: Extract<UpOperation, { type: 'moveRemoteFolder' }>): Promise<Outcome> {
    const moves = ids.flatMap((id) => {
      const file = this.#state.remote.get(id);
      if (file === undefined) return [];
      const path = to + file.path.slice(from.length);
      return [{ file: { ...file, path }, intent: { type: 'move', id, to: path } as const }];
    });
    await this.#state.intend(...moves.map(({ intent }) => intent));
    if ((await this.#server.moveFolder(from, to)) === 'changed') return CHANGED;
    for (const { file, intent } of moves) {
      this.#state.record({ type: 'remote', file });
      agreeOnPath(this.#state, file.id, file.path);
      this.#state.settled(intent);
    }
    return DONE;
  }

  /** Creates notes in one request; returns one outcome per operation, in order. */
  async createNotes(operations: readonly CreateRemote[]): Promise<Outcome[]> {
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
    const intents = items.map(({ at, file, hash }) => this.#createIntent(operations[at]?.id ?? null, file, hash));
    for (const { hash, text } of items) this.#state.record({ type: 'baseText', hash, text });
    await this.#state.intend(...intents);
    const notes = items.map(({ file, text }, index) => ({
      path: file.path,
      text,
      mtime: file.mtimeMs / 1000,
      id: intents[index]?.id ?? '',
    }));
    const written = await this.#server.createNotes(notes);
    for (const [index, { at, file, hash, text }] of items.entries()) {
      const intent = intents[index];
      if (intent === undefined) continue;
      outcomes[at] = this.#recorded(intent, written[index] ?? { kind: 'changed' }, (remote) => {
        this.#replaced(operations[at]?.id ?? null, remote);
        agreeOnContent(this.#state, remote, file, { hash, text });
      });
    }
    return outcomes;
  }

  /** @param revived the id of a note that the server has deleted, which it gets again */
  #createIntent(revived: string | null, { path, fileId }: DiskFile, hash: string) {
    const before = this.#state.intents.get(keyOfIntent({ type: 'create', path }));
    // A request without an answer may still arrive: under the same id, only one of both creates a note.
    const id = revived ?? (before?.type === 'create' ? before.id : null) ?? this.#clock.uuid();
    return { type: 'create', id, path, hash, fileId, at: this.#clock.now() } as const;
  }

  async #pushNote({ id, path, localPath, hash, base }: PushContent): Promise<Outcome> {
    const file = this.#entries.get(localPath);
    const read = file === undefined ? null : await this.#contents.text(file);
    if (file === undefined || read?.hash !== hash) return CHANGED;
    if (read.text === null) return NO_TEXT;
    const { text } = read;
    const note = { id, path, file, hash, text };
    const { version, hash: baseHash } = base.version === null ? await this.#baseOf(note) : base;
    if (version !== null) {
      const outcome = await this.#sendEdit(note, { text, version });
      if (outcome !== 'version gone') return outcome;
    }
    const merged = await this.#merged(note, baseHash);
    if (merged === null) return CHANGED;
    const outcome = await this.#sendEdit(note, merged);
    return outcome === 'version gone' ? CHANGED : outcome;
  }

  /**
   * Returns which of two texts a local one was made from, after the server has merged the one here: that one, or the
   * merged one, which a killed run may have written. Without a sign of the latter it is the former: then what others
   * wrote stays.
   */
  async #baseOf({ id, file, text }: LocalNote): Promise<PushContent['base']> {
    const synced = this.#state.synced.get(id);
    if (synced === undefined) throw new DiskChanged(file.path);
    const former = { hash: agreedHash(synced), version: null };
    if (synced.fileId !== null && synced.fileId === file.fileId) return former;
    const [mine, merged] = [await this.#state.baseText(former.hash), await this.#state.baseText(synced.hash)];
    if (mine === null || merged === null) return former;
    const [sinceMine, sinceMerged] = [minimalDiff(mine, text), minimalDiff(merged, text)];
    // A text that shares nothing with the merged one was written anew, however short the merged one is.
    if (!keepsText(merged, sinceMerged) || sizeOf(sinceMerged) >= sizeOf(sinceMine)) return former;
    return { hash: synced.hash, version: synced.version };
  }

  async #sendEdit(local: LocalNote, { text, version }: Edit): Promise<Outcome | 'version gone'> {
    const { id, path, file, hash } = local;
    const mtime = file.mtimeMs / 1000;
    const sent = text === local.text ? hash : await this.#contents.hashOfText(text);
    const intent = { type: 'push', id, hash, sent, version, mtime, fileId: file.fileId } as const;
    this.#state.record({ type: 'baseText', hash, text: local.text }, { type: 'baseText', hash: sent, text });
    await this.#state.intend(intent);
    const written = await this.#server.pushNote(id, { path, text, mtime }, version);
    if (written.kind === 'version gone') return 'version gone';
    return this.#recorded(intent, written, (remote, remoteText) =>
      agreeOnContent(this.#state, remote, file, { ...local, remoteText }),
    );
  }

  /**
   * Merges a local text into the server's, which was made from the same base with other edits. The server cannot: it no
   * longer has the base, or never had it as a version of its own because it has merged it.
   */
  async #merged({ id, path, text }: LocalNote, baseHash: string): Promise<Edit | null> {
    const content = await this.#server.read({ id, path });
    if (content === null || content.version === null) return null;
    const theirs = await this.#contents.textOf(content);
    const base = await this.#state.baseText(baseHash);
    if (base !== null) return { text: mergeTexts(base, text, theirs), version: content.version };
    // Without the common base the two texts cannot be merged: both are kept, like two notes created at one path.
    this.#state.record({ type: 'unsynced', id });
    return null;
  }

  async #createAttachment({ path, hash, id }: CreateRemote): Promise<Outcome> {
    const file = this.#entries.get(path);
    if (this.#isElsewhere(id) || file === undefined || this.#state.hashOf(file) !== hash) return CHANGED;
    const intent = { type: 'create', id: null, path, hash, fileId: file.fileId, at: this.#clock.now() } as const;
    return this.#putAttachment({ path, file, hash }, intent, null, (remote) => this.#replaced(id, remote));
  }

  async #pushAttachment({ id, path, localPath, hash, base, remoteHash }: PushContent): Promise<Outcome> {
    const file = this.#entries.get(localPath);
    if (file === undefined || this.#state.hashOf(file) !== hash) return CHANGED;
    if (remoteHash !== base.hash && !(await this.#keepTheirs(id, remoteHash))) return CHANGED;
    const intent = { type: 'put', id, hash, fileId: file.fileId } as const;
    return this.#putAttachment({ path, file, hash }, intent, remoteHash);
  }

  /** Stores the vault's bytes in the trash before they are replaced. */
  async #keepTheirs(id: string, hash: string): Promise<boolean> {
    const remote = this.#state.remote.get(id);
    const content = remote === undefined ? null : await this.#server.read(remote);
    if (remote === undefined || content?.hash !== hash) return false;
    const { path, mtime } = remote;
    await this.#disk.keep(path, { bytes: this.#contents.verified(content), size: content.size, mtime });
    return true;
  }

  async #putAttachment(
    { path, file, hash }: { readonly path: string; readonly file: DiskFile; readonly hash: string },
    intent: Intent,
    over: string | null,
    agree: (remote: RemoteFile) => void = () => undefined,
  ): Promise<Outcome> {
    const bytes = () => this.#disk.read(file);
    await this.#state.intend(intent);
    const written = await this.#server.putAttachment(path, bytes, file.size, file.mtimeMs / 1000, over);
    return this.#recorded(intent, written, (remote) => {
      agree(remote);
      agreeOnContent(this.#state, remote, file, { hash, text: null });
    });
  }

  /** After `changed` the intent stays until the rows of the vault say what became of it. */
  #recorded(intent: Intent, written: Written, agree: (file: RemoteFile, text?: string) => void): Outcome {
    if (written.kind === 'changed') return written;
    this.#state.settled(intent);
    if (written.kind !== 'written') return written;
    this.#state.record({ type: 'remote', file: written.file });
    agree(written.file, written.text);
    return DONE;
  }

  /**
   * Returns whether a file that seems deleted lives at an ignored path of the vault. It cannot come back under its id,
   * so the local one becomes a file of its own.
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
}

/** Returns whether edits keep anything of a text but white space. */
function keepsText(text: string, edits: readonly TextEdit[]): boolean {
  return (
    applyEdits(
      text,
      edits.map((edit) => ({ ...edit, insert: '' })),
    ).trim() !== ''
  );
}

/** Returns the number of removed and inserted UTF-16 code units. */
function sizeOf(edits: readonly TextEdit[]): number {
  return edits.reduce((size, { remove, insert }) => size + remove + insert.length, 0);
}
