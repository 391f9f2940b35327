import { foldPath } from '@notevault/note-text/paths.ts';
import { isSamePlace } from '../plan/file-states.ts';
import { identify } from '../plan/identify.ts';
import { kindOf, type LocalFile, type RemoteFile, type SyncedFile, type Trees } from '../plan/trees.ts';
import type { FileContents } from './file-contents.ts';
import { inParallel } from './in-parallel.ts';
import { type DiskFile, DiskRefused, RemoteDamaged, type Server } from './ports.ts';
import type { SyncState } from './sync-state.ts';

/** Texts are compared at once as long as they need not wait for one another. */
const CONCURRENCY = 8;

/** A local note, and the vault's note at its path, which have nothing in common as far as this device knows. */
interface Meeting {
  readonly local: LocalFile;
  readonly remote: RemoteFile;
  readonly file: DiskFile;
}

/** Relation of a local text to the vault's note: an earlier version, contained in it, or a different text. */
type Recognition = { readonly version: number } | 'contained' | 'other';

/**
 * Recognises local notes whose text the vault has seen although this device has no record of them: its state was lost,
 * or the folder was copied. Such a text is an earlier version of the vault's note, or all of its lines stand in that
 * note. It counts as the base of the note, so the vault's text replaces it without a conflict copy.
 */
export class OwnTexts {
  readonly #server: Server;
  readonly #contents: FileContents;
  readonly #state: SyncState;
  /** Results by the texts compared: a meeting without an operation comes up in each round. */
  readonly #found = new Map<string, Recognition>();

  constructor(server: Server, contents: FileContents, state: SyncState) {
    this.#server = server;
    this.#contents = contents;
    this.#state = state;
  }

  /**
   * Returns the bases of recognised notes. Throws the errors of the server port.
   *
   * @param entries the files that operations may use, by path
   */
  async find(trees: Trees, entries: ReadonlyMap<string, DiskFile>): Promise<SyncedFile[]> {
    const meetings = this.#meetings(trees, entries);
    const unknown = meetings.filter((meeting) => !this.#found.has(keyOf(meeting)));
    if (unknown.length > 0) await this.#compare(unknown);
    return meetings.flatMap(({ local, remote }) => {
      const found = this.#found.get(keyOf({ local, remote })) ?? 'other';
      if (found === 'other') return [];
      const { path, hash, fileId } = local;
      const version = found === 'contained' ? null : found.version;
      return [{ id: remote.id, path, hash, version, fileId, pushed: null }];
    });
  }

  /** Records bases that are about to be replaced: what is written here meanwhile is an edit of them. */
  async agree(bases: readonly SyncedFile[], entries: ReadonlyMap<string, DiskFile>): Promise<void> {
    for (const base of bases) {
      const file = entries.get(base.path);
      const read = file === undefined ? null : await this.#contents.text(file);
      if (read === null || read.text === null || read.hash !== base.hash) continue;
      this.#state.record({ type: 'baseText', hash: read.hash, text: read.text }, { type: 'synced', file: base });
    }
  }

  #meetings({ local, remote, synced }: Trees, entries: ReadonlyMap<string, DiskFile>): Meeting[] {
    const unknown = remote.files.filter(({ id, path }) => !this.#state.synced.has(id) && kindOf(path) === 'note');
    if (unknown.length === 0) return [];
    const remoteAt = new Map(unknown.map((file) => [foldPath(file.path), file]));
    const meetings = new Map<string, Meeting>();
    for (const here of local.files) {
      const [there, file] = [remoteAt.get(foldPath(here.path)), entries.get(here.path)];
      if (there === undefined || file === undefined || there.hash === here.hash) continue;
      // A disk may have both spellings of a folder.
      if (isSamePlace(here.path, there.path) && (here.path === there.path || !meetings.has(there.id)))
        meetings.set(there.id, { local: here, remote: there, file });
    }
    if (meetings.size === 0) return [];
    const fresh = new Set(identify(synced.files, local.files).fresh);
    return [...meetings.values()].filter((meeting) => fresh.has(meeting.local));
  }

  async #compare(meetings: readonly Meeting[]): Promise<void> {
    const texts = meetings.map(({ local, remote }) => ({ path: remote.path, hash: local.hash }));
    const known = await this.#server.known(texts);
    const knownAt = new Map(known?.map((text) => [text.path, text]));
    const recognise = async (meeting: Meeting): Promise<Recognition> => {
      const text = knownAt.get(meeting.remote.path);
      if (text?.id === meeting.remote.id) return { version: text.version };
      return known !== null && (await this.#isContained(meeting)) ? 'contained' : 'other';
    };
    const tasks = meetings.map((meeting) => async () => {
      this.#found.set(keyOf(meeting), await recognise(meeting));
    });
    await inParallel(tasks, CONCURRENCY);
  }

  /** Returns whether the vault's note has all lines of the local one, in the same order. */
  async #isContained({ file, remote }: Meeting): Promise<boolean> {
    if (file.size === 0) return true;
    try {
      const text = (await this.#contents.text(file))?.text ?? null;
      const content = text === null ? null : await this.#server.read(remote);
      return text !== null && content !== null && hasLinesOf(await this.#contents.textOf(content), text);
    } catch (error) {
      if (error instanceof DiskRefused || error instanceof RemoteDamaged) return false;
      throw error;
    }
  }
}

/** Returns whether a text has all lines of another one, in the same order; lines without a letter do not count. */
export function hasLinesOf(text: string, other: string): boolean {
  const lines = linesOf(text)[Symbol.iterator]();
  return linesOf(other).every((line) => {
    for (let next = lines.next(); next.done !== true; next = lines.next()) if (next.value === line) return true;
    return false;
  });
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

const keyOf = ({ local, remote }: Pick<Meeting, 'local' | 'remote'>) => `${remote.id} ${remote.hash} ${local.hash}`;
