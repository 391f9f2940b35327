import type { Operation } from '../plan/operations.ts';
import type { SyncedFile } from '../plan/trees.ts';
import { Downloads } from './downloads.ts';
import { CHANGED, DONE, type Outcome } from './outcome.ts';
import { DiskChanged, type DiskFile, DiskRefused, RemoteDamaged } from './ports.ts';
import type { SyncState } from './sync-state.ts';
import { type CreateRemote, type Parts, Uploads } from './uploads.ts';

/** Carries out operations and records the resulting agreed state. */
export class Executor {
  readonly #uploads: Uploads;
  readonly #downloads: Downloads;
  readonly #state: SyncState;

  /**
   * @param entries the files on which the plan is based, by path.
   * @param isLong whether the plan has so many operations that not each of them can wait for the state to be stored
   */
  constructor(parts: Parts, entries: ReadonlyMap<string, DiskFile>, isLong = false) {
    this.#uploads = new Uploads(parts, entries);
    this.#downloads = new Downloads(parts, entries, isLong);
    this.#state = parts.state;
  }

  /** Throws the errors of the server port; a refusal by the disk, and damage on the server, are outcomes. */
  async run(operation: Operation): Promise<Outcome> {
    try {
      return await this.#run(operation);
    } catch (error) {
      if (error instanceof DiskChanged) return CHANGED;
      if (error instanceof DiskRefused) {
        const { message: reason, retryMs, isDenied } = error;
        return { kind: 'refused', reason, ...(retryMs !== undefined && { retryMs }), ...(isDenied && { isDenied }) };
      }
      if (error instanceof RemoteDamaged) return { kind: 'refused', reason: error.message };
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
      case 'moveRemoteMany':
      case 'moveRemoteFolder':
      case 'deleteRemote':
      case 'makeRemoteFolder':
      case 'removeRemoteFolder':
        return this.#uploads.run(operation);
      default:
        return this.#downloads.run(operation);
    }
  }

  /** Creates notes in one request; returns one outcome per operation, in order. */
  createNotes(operations: readonly CreateRemote[]): Promise<Outcome[]> {
    return this.#uploads.createNotes(operations);
  }

  #adopt(file: SyncedFile): Outcome {
    this.#state.record({ type: 'synced', file });
    return DONE;
  }

  #folder(path: string, isSynced: boolean): Outcome {
    this.#state.record({ type: 'folder', path, isSynced });
    return DONE;
  }
}
