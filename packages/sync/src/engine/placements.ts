import { agreedPath } from '../plan/planner.ts';
import { kindOf, type LocalFile } from '../plan/trees.ts';
import type { FileContents } from './file-contents.ts';
import { isLike, likeness } from './likeness.ts';
import type { LocalObservation } from './local-observer.ts';
import type { Intent, StateChange } from './ports.ts';
import { freshFiles } from './recognition.ts';
import type { SyncState } from './sync-state.ts';

type Placement = Extract<Intent, { type: 'place' }>;

/**
 * Finds out what became of the files that a killed run was writing or renaming on the disk. What is there becomes the
 * agreed state, as it would have without the kill: else a note that was renamed since is a new one beside its former
 * name, and what was removed from it since returns.
 */
export class Placements {
  readonly #state: SyncState;
  readonly #contents: FileContents;

  constructor(state: SyncState, contents: FileContents) {
    this.#state = state;
    this.#contents = contents;
  }

  get #open(): readonly Placement[] {
    return [...this.#state.intents.values()].filter((intent) => intent.type === 'place');
  }

  /** Whether an earlier run was killed while it changed the disk. */
  get areOpen(): boolean {
    return this.#open.length > 0;
  }

  /** @param observation in which all files have come to rest */
  async finish(observation: LocalObservation): Promise<void> {
    for (const placement of this.#open) {
      this.#state.record(...(await this.#outcome(placement, observation)));
      this.#state.settled(placement);
    }
  }

  async #outcome(placement: Placement, observation: LocalObservation): Promise<StateChange[]> {
    const { id, path, hash, version, from, over } = placement;
    const synced = this.#state.synced.get(id);
    const file = await this.#fileOf(placement, observation);
    if (from !== null) {
      const isMoved = synced !== undefined && file !== null && file.path !== from;
      return isMoved ? [{ type: 'synced', file: { ...synced, path } }] : [];
    }
    if (file !== null) {
      const at = agreedPath(path, this.#state.remote.get(id)?.path ?? path, synced);
      return [{ type: 'synced', file: { id, path: at, hash, version, fileId: file.fileId, pushed: null } }];
    }
    const there = observation.tree.files.find((one) => one.path === path);
    if (over === null || synced === undefined || there === undefined || there.hash === over) return [];
    if (kindOf(path) !== 'note') return [];
    // It is an edit of the text from before or of the one that was written: which one is decided when it is sent.
    return [{ type: 'synced', file: { ...synced, hash, version, pushed: over } }];
  }

  /** Returns the file that was placed, wherever it is now; null when it is not known which one it is. */
  async #fileOf({ id, path, hash, fileId, over }: Placement, observation: LocalObservation): Promise<LocalFile | null> {
    const { files } = observation.tree;
    const byId = fileId === null ? undefined : files.find((file) => file.fileId === fileId);
    const byPath = files.find((file) => file.path === path && file.hash === hash);
    if (byId !== undefined || byPath !== undefined) return byId ?? byPath ?? null;
    const fresh = freshFiles(files, this.#state).filter((file) => kindOf(file.path) === kindOf(path));
    const [alike, ...others] = fresh.filter((file) => file.hash === hash);
    if (alike !== undefined) return others.length === 0 ? alike : null;
    const there = files.find((file) => file.path === path);
    const candidates = there === undefined ? fresh : over === null ? [there] : [];
    const [only, ...more] = candidates;
    const isOther = only === undefined || more.length > 0 || this.#isOfAnother(only, id);
    return isOther || !(await this.#isLike(only, hash, observation)) ? null : only;
  }

  #isOfAnother({ path }: LocalFile, id: string): boolean {
    return [...this.#state.synced.values()].some((synced) => synced.path === path && synced.id !== id);
  }

  async #isLike({ path }: LocalFile, hash: string, { entries }: LocalObservation): Promise<boolean> {
    const [file, written] = [entries.get(path), await this.#state.baseText(hash)];
    const read = file === undefined || written === null ? null : await this.#contents.text(file);
    return read?.text != null && written !== null && isLike(likeness(written, read.text));
  }
}
