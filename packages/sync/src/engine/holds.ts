import type { LocalMove, Operation } from '../plan/operations.ts';
import { agreedHash, kindOf, type Trees } from '../plan/trees.ts';
import type { FileContents } from './file-contents.ts';
import type { SyncState } from './sync-state.ts';

/**
 * A note whose text something else exchanges with the server, such as an editor that is connected to its document. The
 * engine still renames and deletes it, and leaves its text alone on both sides.
 */
export interface Hold {
  /** The note's id in the vault. */
  readonly id: string;
  /** The text that this device and the server last had in common: what differs from it was changed on one side. */
  readonly text: string;
  /** The file has another path here. */
  moved(path: string): void;
  /** Records a text that this device and the server have in common now. */
  agree(text: string): Promise<void>;
  /** Gives the text back to the engine, which compares both sides with what was agreed last. */
  release(): void;
  /** Ends the hold, but leaves the text alone until the next one: its holder keeps edits that were not sent. */
  reserve(): void;
}

/** The notes that are held, and the requests under way that a hold must wait for. */
export class Holds {
  readonly #state: SyncState;
  readonly #contents: FileContents;
  /** The paths here by id; null for notes that are reserved. */
  readonly #held = new Map<string, string | null>();
  /** The rounds that began before a note was held may still carry out what they planned. */
  #round: Promise<unknown> = Promise.resolve();

  constructor(state: SyncState, contents: FileContents) {
    this.#state = state;
    this.#contents = contents;
  }

  /**
   * Returns the operations that leave the text of held notes alone: what was planned before one was held may be another.
   * A held file is moved whatever it has.
   */
  allowed(operations: readonly Operation[], hashAt: (path: string) => string | undefined): readonly Operation[] {
    return operations.flatMap((operation): Operation[] => {
      if (operation.type === 'moveLocalMany')
        return [{ ...operation, moves: operation.moves.map((move) => this.#asItIs(move, hashAt)) }];
      if (!('id' in operation) || operation.id === null || !this.#held.has(operation.id)) return [operation];
      if (operation.type === 'moveLocal') return [this.#asItIs(operation, hashAt)];
      return ['pushContent', 'writeLocal', 'mergeLocal'].includes(operation.type) ? [] : [operation];
    });
  }

  /** Returns the move of a file with the content that it has, if it is held. */
  #asItIs<Move extends LocalMove>(move: Move, hashAt: (path: string) => string | undefined): Move {
    return move.id !== null && this.#held.has(move.id) ? { ...move, hash: hashAt(move.from) ?? move.hash } : move;
  }

  /** Tells of operations that are being carried out. */
  during<Result>(round: Promise<Result>): Promise<Result> {
    this.#round = round.catch(() => undefined);
    return round;
  }

  /**
   * Leaves the texts of notes alone until they are held. Call it before the first run, for notes whose unsent
   * edits are kept elsewhere: a run would send the file, which has these edits too, and the vault would get them twice.
   */
  reserve(ids: readonly string[]): void {
    for (const id of ids) if (this.#state.synced.has(id) && !this.#held.has(id)) this.#held.set(id, null);
  }

  /** Returns the path at which both sides last had a note; undefined once it is on neither. */
  pathOf(id: string): string | undefined {
    return this.#state.synced.get(id)?.path;
  }

  /**
   * Takes a note from the engine; null for one that is not in sync by name, is held already, or of which it is not known
   * yet what both sides have in common: ask again after the next run.
   *
   * @param file the text of the file now
   */
  async hold(path: string, file: string): Promise<Hold | null> {
    const id = [...this.#state.synced.values()].find((synced) => synced.path === path)?.id;
    if (id === undefined || kindOf(path) !== 'note') return null;
    const isReserved = this.#held.get(id) === null;
    if (this.#held.has(id) && !isReserved) return null;
    const end = () => void this.#held.delete(id);
    const reserve = () => void this.#held.set(id, null);
    this.#held.set(id, path);
    await this.#round;
    const text = await this.#agreedText(id, file).catch((error: unknown) => {
      if (isReserved) reserve();
      else end();
      throw error;
    });
    if (text === null) {
      // Only the next run tells what became of a push; a base that nobody knows any more would be waited for in vain.
      if (isReserved && this.#isPushing(id)) reserve();
      else end();
      return null;
    }
    return {
      id,
      text,
      moved: (to) => void this.#held.set(id, to),
      agree: (agreed) => this.#agree(id, agreed),
      release: end,
      reserve,
    };
  }

  /** Returns the trees with the text of held notes as it was agreed on, on both sides. */
  masked({ local, remote, synced }: Trees): Trees {
    if (this.#held.size === 0) return { local, remote, synced };
    const agreed = new Map(synced.files.filter(({ id }) => this.#held.has(id)).map((file) => [file.id, file]));
    const here = new Set(local.files.map(({ path }) => path));
    const hashes = new Map<string, string>();
    for (const { id, path, hash } of agreed.values()) {
      const held = this.#held.get(id) ?? path;
      // The engine itself has renamed it, and nobody has told of it yet.
      hashes.set(here.has(held) ? held : path, hash);
    }
    const maskLocal = <File extends { path: string; hash: string }>(file: File) => {
      return { ...file, hash: hashes.get(file.path) ?? file.hash };
    };
    const maskRemote = <File extends { id: string; hash: string; version: number | null }>(file: File) => {
      const { hash, version } = agreed.get(file.id) ?? file;
      return { ...file, hash, version };
    };
    return {
      local: { ...local, files: local.files.map(maskLocal) },
      remote: { ...remote, files: remote.files.map(maskRemote) },
      synced: {
        ...synced,
        files: synced.files.map((file) => (agreed.has(file.id) ? { ...file, pushed: null } : file)),
      },
    };
  }

  async #agreedText(id: string, file: string): Promise<string | null> {
    const synced = this.#state.synced.get(id);
    if (synced === undefined || this.#isPushing(id)) return null;
    const hash = agreedHash(synced);
    if ((await this.#contents.hashOfText(file)) !== hash) return this.#state.baseText(hash);
    // From now on the file changes without the engine, and after a kill nothing else would tell the text.
    this.#state.record({ type: 'baseText', hash, text: file });
    await this.#state.commit();
    return file;
  }

  /** Returns whether a push is under way: whether the server has carried it out is not known before its next rows. */
  #isPushing(id: string): boolean {
    return this.#state.intents.has(`content ${id}`);
  }

  async #agree(id: string, text: string): Promise<void> {
    const hash = await this.#contents.hashOfText(text);
    const [synced, remote] = [this.#state.synced.get(id), this.#state.remote.get(id)];
    if (synced === undefined) return;
    const version = remote?.hash === hash ? remote.version : null;
    this.#state.record({ type: 'baseText', hash, text });
    this.#state.record({ type: 'synced', file: { ...synced, hash, version, pushed: null } });
    await this.#state.commit();
  }
}
