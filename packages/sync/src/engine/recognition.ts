import { agreedHash, kindOf, type LocalFile, type SyncedFile } from '../plan/trees.ts';
import type { FileContents } from './file-contents.ts';
import { isLike, likeness } from './likeness.ts';
import type { LocalObservation } from './local-observer.ts';
import type { Server } from './ports.ts';
import type { SyncState } from './sync-state.ts';

/**
 * Recognises a note that a program has saved by replacing its file and that was renamed before the folder was listed
 * again, so that neither its file id, its path nor its bytes tell which one it is. Only its text can: if exactly one
 * file vanished and one came, most of their letters agree, and no other note is as near.
 */
export class Recognition {
  readonly #state: SyncState;
  readonly #contents: FileContents;
  readonly #server: Server;
  readonly #rest: () => Promise<void>;
  /** Cached last result, because a folder is listed several times until it has settled. */
  #last: { readonly key: string; readonly isSame: boolean } | null = null;

  /** @param rest see EngineOptions */
  constructor(state: SyncState, contents: FileContents, server: Server, rest: () => Promise<void>) {
    this.#state = state;
    this.#contents = contents;
    this.#server = server;
    this.#rest = rest;
  }

  /** Returns the observation, with the note under its id if it was recognised. Throws the errors of the server port. */
  async of(observation: LocalObservation): Promise<LocalObservation> {
    const { tree, entries, missing, unseen } = observation;
    const [gone, ...others] = missing;
    if (gone === undefined || others.length > 0 || unseen.ids.size > 0) return observation;
    const [came, ...more] = freshFiles(tree.files, this.#state);
    if (came === undefined || more.length > 0 || !(await this.#isSame(gone, came, observation))) return observation;
    const files = tree.files.flatMap((file) => {
      if (file === came) return [{ ...file, id: gone.id }];
      // It counted as there for a while.
      return file.path === gone.path && !entries.has(file.path) ? [] : [file];
    });
    return { ...observation, tree: { ...tree, files } };
  }

  async #isSame(gone: SyncedFile, came: LocalFile, observation: LocalObservation): Promise<boolean> {
    if (kindOf(gone.path) !== 'note' || kindOf(came.path) !== 'note') return false;
    const key = `${gone.id} ${agreedHash(gone)} ${came.hash}`;
    if (this.#last?.key !== key) this.#last = { key, isSame: await this.#isNearest(gone, came, observation) };
    return this.#last.isSame;
  }

  async #isNearest(gone: SyncedFile, came: LocalFile, observation: LocalObservation): Promise<boolean> {
    const text = await this.#textOf(came.path, observation);
    const before = text === null ? null : await this.#agreedText(gone);
    if (text === null || before === null) return false;
    const found = likeness(before, text);
    if (!isLike(found)) return false;
    for (const other of this.#state.synced.values()) {
      if (other.id === gone.id || kindOf(other.path) !== 'note') continue;
      await this.#rest();
      const known = await this.#state.baseText(agreedHash(other));
      const candidate = known ?? (await this.#textOf(other.path, observation));
      const canBeNear = candidate !== null && candidate.length >= found.shared;
      if (canBeNear && likeness(candidate, text).shared >= found.shared) return false;
    }
    return true;
  }

  async #textOf(path: string, { entries }: LocalObservation): Promise<string | null> {
    const file = entries.get(path);
    return file === undefined ? null : ((await this.#contents.text(file))?.text ?? null);
  }

  /** Returns the text that both sides had last. Where it was never sent from here, the server may have it still. */
  async #agreedText(synced: SyncedFile): Promise<string | null> {
    const hash = agreedHash(synced);
    const [known, remote] = [await this.#state.baseText(hash), this.#state.remote.get(synced.id)];
    if (known !== null || remote?.hash !== hash) return known;
    const content = await this.#server.read(remote);
    return content?.hash === hash ? this.#contents.textOf(content) : null;
  }
}

/** Returns the files that are at no agreed path and have the file id of no agreed file. */
export function freshFiles(files: readonly LocalFile[], { synced }: Pick<SyncState, 'synced'>): LocalFile[] {
  const agreed = [...synced.values()];
  const paths = new Set(agreed.map(({ path }) => path));
  const ids = new Set(agreed.map(({ fileId }) => fileId));
  return files.filter(({ path, fileId }) => !paths.has(path) && (fileId === null || !ids.has(fileId)));
}
