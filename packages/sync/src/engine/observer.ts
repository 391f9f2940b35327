import { ancestorsOf, foldPath } from '@notevault/note-text/paths.ts';
import type { Direction } from '../plan/operations.ts';
import { filteredInSteps, withRests } from '../plan/steps.ts';
import type { RemoteFile, SideTree, SyncedFile, Trees } from '../plan/trees.ts';
import type { FileContents } from './file-contents.ts';
import type { Holds } from './holds.ts';
import { Intents } from './intents.ts';
import { type LocalObservation, LocalObserver, type Patience } from './local-observer.ts';
import { OwnTexts } from './own-texts.ts';
import { Placements } from './placements.ts';
import type { Ports } from './ports.ts';
import { Recognition } from './recognition.ts';
import { RemoteObserver } from './remote-observer.ts';
import type { SyncState } from './sync-state.ts';

/** Both sides as they were at the start of a round. */
export interface Observation {
  readonly trees: Trees;
  readonly local: LocalObservation;
  /** Agreed versions of local notes without a base whose text the vault knows. */
  readonly own: readonly SyncedFile[];
}

interface ObserverOptions {
  readonly direction: Direction | undefined;
  readonly patience: Patience;
  /** Resolves once other work of the thread had its turn. */
  readonly rest: () => Promise<void>;
}

/** Maximum listings in which local files may still change before `observeSettled` returns. */
const UNSETTLED_MAX = 5;
/** Maximum listings in which moved files may still change, because they may never stop. */
export const RENAMING_MAX = 20;
const FIRST_WAIT_MS = 20;
/** How long an answer of the server is reused, such as who may write. */
const JUST_NOW_MS = 10_000;

/** Observes folder and vault, and settles what a killed run left behind. */
export class Observer {
  readonly ownTexts: OwnTexts;
  readonly #clock: Ports['clock'];
  readonly #disk: Ports['disk'];
  readonly #options: ObserverOptions;
  readonly #state: SyncState;
  readonly #local: LocalObserver;
  readonly #remote: RemoteObserver;
  readonly #intents: Intents;
  readonly #holds: Holds;
  readonly #placements: Placements;
  readonly #recognition: Recognition;
  /**
   * Number of consecutive listings in which files were still changing; after too many, moved files are searched for
   * anyway.
   */
  #unsettled = 0;
  /** Time of the last complete read of the feed, in ticks. */
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(ports: Ports, state: SyncState, contents: FileContents, holds: Holds, options: ObserverOptions) {
    const { clock, disk, server } = ports;
    this.#clock = clock;
    this.#disk = disk;
    this.#options = options;
    this.#state = state;
    this.#holds = holds;
    this.#local = new LocalObserver(disk, contents, clock, state, options.patience, options.rest);
    this.#remote = new RemoteObserver(server, state);
    this.#intents = new Intents(server, state, clock);
    this.ownTexts = new OwnTexts(server, contents, state);
    this.#placements = new Placements(state, contents);
    this.#recognition = new Recognition(state, contents, server, options.rest);
  }

  /** Returns whether the feed was read up to a seq just now: then it has nothing new for a while. */
  hasRead(changeSeq: number): boolean {
    return changeSeq === this.#state.remoteFoldersSeq && this.#clock.ticks() - this.#readAt < JUST_NOW_MS;
  }

  /** Makes the next observation compare every file of the vault. */
  compareAnew(): Promise<void> {
    return this.#remote.compareAnew();
  }

  /**
   * Observes both sides. The trees have the bases of recognised texts (`own`) among the synced files.
   *
   * @param maySend whether a request whose answer is unknown may be sent again
   */
  async observe(maySend = this.#options.direction !== 'pull'): Promise<Observation> {
    // The disk comes first: a missing folder is noticed quickly and saves the requests to the server.
    const seen = await this.#local.observe();
    const folders = await this.#remote.observe(seen.tree.files.length === 0 && this.#state.synced.size === 0);
    this.#readAt = this.#clock.ticks();
    const isUnclear = !(await this.#settlePlacements(seen));
    await this.#intents.finish(maySend, this.#state.isReadOnly);
    const local = await this.#recognition.of(isUnclear ? { ...seen, isRenaming: true } : seen);
    const remote = { files: [...this.#state.remote.values()], folders };
    const trees = await this.#trees(local, remote);
    const own = await this.ownTexts.find(trees, local.entries);
    const synced = { ...trees.synced, files: [...trees.synced.files, ...own] };
    return { trees: own.length === 0 ? trees : { ...trees, synced }, local, own };
  }

  /** Returns whether it is known what became of the files that a killed run was placing. */
  async #settlePlacements(local: LocalObservation): Promise<boolean> {
    if (!this.#placements.areOpen) return true;
    this.#unsettled = local.settlesInMs === null ? 0 : this.#unsettled + 1;
    if (this.#unsettled > 0 && this.#unsettled < RENAMING_MAX) return false;
    this.#unsettled = 0;
    await this.#placements.finish(local);
    return true;
  }

  /**
   * Returns the trees to compare. Unreadable files, and all files that may be in unreadable folders, are left out of
   * every tree, so that they are not changed.
   */
  async #trees({ tree, unseen }: LocalObservation, { files, folders }: SideTree<RemoteFile>): Promise<Trees> {
    const disk = this.#disk;
    const isUnseen = ({ id, path }: RemoteFile) =>
      unseen.ids.has(id) || (!this.#state.synced.has(id) && unseen.paths.has(foldPath(path)));
    const isAnyUnseen = unseen.ids.size + unseen.paths.size > 0;
    const above = isAnyUnseen ? files.filter(isUnseen).flatMap(({ path }) => ancestorsOf(path)) : [];
    const remote = {
      files: isAnyUnseen ? files.filter((file) => !isUnseen(file)) : files,
      folders: [...new Set([...folders, ...above])].filter(
        (path) => !unseen.folders.has(path) && !disk.isIgnored(path, 'folder'),
      ),
    };
    const synced = {
      files: [...this.#state.synced.values()].filter(({ id }) => !unseen.ids.has(id)),
      folders: [...this.#state.folders.values()].filter((path) => !unseen.folders.has(path)),
    };
    // All of one moment: what is held may change with each rest.
    const masked = this.#holds.masked({ local: tree, remote, synced });
    const known = filteredInSteps(masked.remote.files, ({ path }) => !disk.isIgnored(path, 'file'));
    return { ...masked, remote: { ...remote, files: await withRests(known, () => this.#options.rest()) } };
  }

  /** Observes both sides until local files have settled, so that a file being replaced does not count as deleted. */
  async observeSettled(maySend?: boolean): Promise<{ readonly trees: Trees }> {
    for (let tries = 0; ; tries++) {
      const { trees, local } = await this.observe(maySend);
      if (local.settlesInMs === null || tries === UNSETTLED_MAX) return { trees };
      await this.#clock.sleep(waitOf(local.settlesInMs, tries));
    }
  }

  /** Returns the folder as it is now, with the vault as it was last seen. Needs no server. Throws FolderGone. */
  async observeLocal(): Promise<Trees> {
    const local = await this.#local.observe();
    const { remote, remoteFolders } = this.#state;
    return this.#trees(local, { files: [...remote.values()], folders: remoteFolders });
  }
}

/** Returns the wait for files that are being written; it grows with each try. */
export function waitOf(settlesInMs: number, tries: number): number {
  return Math.max(settlesInMs, FIRST_WAIT_MS * 2 ** tries);
}
