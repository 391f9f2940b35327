import { foldPath } from '@notevault/note-text/paths.ts';
import { isSamePlace } from '../plan/file-states.ts';
import { kindOf, type RemoteFile } from '../plan/trees.ts';
import type { Clock, Intent, Server, StateChange } from './ports.ts';
import type { SyncState } from './sync-state.ts';

type Create = Extract<Intent, { type: 'create' }>;
type Push = Extract<Intent, { type: 'push' }>;

/** A server may still carry out what it was sent; after this time it has, or never will. */
const PENDING_MS = 60 * 60 * 1000;

/**
 * Finds out what became of requests without an answer, from the present rows of the vault. What the server carried out
 * becomes the agreed state, as it would have with the answer: else a device takes its own write for another's, and what
 * was edited here since for a change that conflicts with it.
 */
export class Intents {
  readonly #server: Server;
  readonly #state: SyncState;
  readonly #clock: Clock;

  constructor(server: Server, state: SyncState, clock: Clock) {
    this.#server = server;
    this.#state = state;
    this.#clock = clock;
  }

  /**
   * Throws the errors of the server port.
   *
   * @param maySend whether a text may be sent again
   * @param isReadOnly whether the server would refuse it: then what is not known to be there counts as not sent
   */
  async finish(maySend: boolean, isReadOnly: boolean): Promise<void> {
    for (const intent of [...this.#state.intents.values()]) {
      if (intent.type === 'push' && !maySend && !isReadOnly) continue;
      const agreed = await this.#outcome(intent, isReadOnly);
      if (agreed === null) continue;
      this.#state.record(...agreed);
      this.#state.settled(intent);
    }
  }

  /** Returns what is agreed on; null when that cannot be known yet. */
  #outcome(intent: Intent, isReadOnly: boolean): Promise<StateChange[]> | StateChange[] | null {
    switch (intent.type) {
      case 'create':
        return this.#created(intent);
      case 'push':
        return this.#pushed(intent, isReadOnly);
      case 'put': {
        const { id, hash, fileId } = intent;
        const [synced, remote] = [this.#state.synced.get(id), this.#state.remote.get(id)];
        if (synced === undefined || remote?.hash !== hash) return [];
        return [{ type: 'synced', file: { ...synced, hash, fileId } }];
      }
      case 'move': {
        const { id, to } = intent;
        const [synced, remote] = [this.#state.synced.get(id), this.#state.remote.get(id)];
        if (synced === undefined || remote === undefined || !isSamePlace(remote.path, to)) return [];
        return [{ type: 'synced', file: { ...synced, path: to } }];
      }
      case 'delete':
        return this.#state.remote.has(intent.id) ? [] : [{ type: 'unsynced', id: intent.id }];
      case 'place':
        return null;
    }
  }

  /**
   * Returns the state changes after a file was created on the server: later edits are based on the sent file. Null
   * while unknown.
   */
  #created(intent: Create): StateChange[] | null {
    const { hash, path, fileId } = intent;
    const remote = this.#createdFile(intent);
    if (remote === undefined) return Math.abs(this.#clock.now() - intent.at) < PENDING_MS ? null : [];
    const isRevived = this.#state.synced.has(remote.id);
    // What another client made of the note that it revived has not this text as its base.
    if (isRevived && remote.hash !== hash) return [];
    const pushed = remote.hash === hash ? null : hash;
    const { id, version } = remote;
    return [{ type: 'synced', file: { id, path, hash: remote.hash, version, fileId, pushed } }];
  }

  #createdFile({ id, path, hash }: Create): RemoteFile | undefined {
    if (kindOf(path) === 'note') return id === null ? undefined : this.#state.remote.get(id);
    const folded = foldPath(path);
    return [...this.#state.remote.values()].find(
      (file) => file.hash === hash && foldPath(file.path) === folded && !this.#state.synced.has(file.id),
    );
  }

  /** Sends the text again, unless the note has it: the server knows it, or takes it now. */
  async #pushed({ id, hash, sent, version, mtime, fileId }: Push, isReadOnly: boolean): Promise<StateChange[]> {
    const [synced, remote] = [this.#state.synced.get(id), this.#state.remote.get(id)];
    if (synced === undefined || remote === undefined) return [];
    if (remote.hash !== sent && isReadOnly) return [];
    const written = remote.hash === sent ? { file: remote } : await this.#sentAgain(remote, { sent, version, mtime });
    if (written === null) return [];
    const { file, text } = written;
    const pushed = file.hash === hash ? null : hash;
    return [
      ...(text === undefined ? [] : [{ type: 'baseText', hash: file.hash, text } as const]),
      { type: 'remote', file },
      { type: 'synced', file: { ...synced, hash: file.hash, version: file.version, fileId, pushed } },
    ];
  }

  async #sentAgain(
    { id, path }: RemoteFile,
    { sent, version, mtime }: Pick<Push, 'sent' | 'version' | 'mtime'>,
  ): Promise<{ readonly file: RemoteFile; readonly text?: string } | null> {
    const text = await this.#state.baseText(sent);
    if (text === null) return null;
    const written = await this.#server.pushNote(id, { path, text, mtime }, version);
    return written.kind === 'written' ? written : null;
  }
}
