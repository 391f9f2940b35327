import type { Approval } from '../plan/approval.ts';
import { type BrakeReason, brake, isHeld, type RecentDeletions } from '../plan/brake.ts';
import { conflictLabel } from '../plan/names.ts';
import { type Direction, keyOf, type Operation } from '../plan/operations.ts';
import { type Plan, planInSteps } from '../plan/planner.ts';
import { withRests } from '../plan/steps.ts';
import type { SyncedFile, Trees } from '../plan/trees.ts';
import { Executor } from './executor.ts';
import { FileContents } from './file-contents.ts';
import { Holds } from './holds.ts';
import { inParallel } from './in-parallel.ts';
import { type LocalObservation, PATIENCE, type Patience } from './local-observer.ts';
import { Observer, RENAMING_MAX, waitOf } from './observer.ts';
import type { Outcome } from './outcome.ts';
import { type Deletion, type Ports, RemoteDamaged, type StateChange, type UnsyncedFile } from './ports.ts';
import { Refusals } from './refusals.ts';
import { followServer, makeAuthoritative, overwrittenRemotely, putBack, syncedAfter } from './resolutions.ts';
import { SyncState } from './sync-state.ts';
import { tasksOf } from './tasks.ts';
import { unsyncedFiles } from './unsynced.ts';

export interface EngineOptions {
  /** The name of this device, used in the names of conflict copies. */
  readonly device: string;
  readonly direction?: Direction;
  readonly patience?: Patience;
  /** Called when a round begins to carry out its operations. */
  onPlan?(operations: readonly Operation[]): void;
  /** Called after each attempted operation. */
  onOperation?(operation: Operation, outcome: Outcome): void;
  /** Called between two files: where something else needs the thread, it resolves once that had its turn. */
  readonly rest?: () => Promise<void>;
}

export interface SyncResult {
  /**
   * `in step`: both sides are equal, except for what `unsynced` lists. `waiting`: the user must approve what `brakes`
   * lists. `unsettled`: some files are still being written. `unfinished`: one side kept changing during the run.
   */
  readonly kind: 'in step' | 'waiting' | 'unsettled' | 'unfinished';
  readonly brakes: readonly BrakeReason[];
  readonly unsynced: readonly UnsyncedFile[];
  /** The number of operations carried out. */
  readonly done: number;
  /** Operations that remain: they wait for confirmation, or the direction excludes them. */
  readonly pending: readonly Operation[];
  /** Whether this device may not write to the vault: see PlanOptions. */
  readonly isReadOnly: boolean;
  /** Time of the first retry of a refused operation, in epoch milliseconds; null if none was refused. */
  readonly retryAt: number | null;
}

export interface SyncOptions {
  /** The user's approval of what the brake stops. */
  readonly approval?: Approval | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum number of rounds per run. Each round reduces the difference, unless one side keeps changing. */
const ROUNDS_MAX = 200;
/** Maximum number of consecutive rounds in which no operation could run because its preconditions had changed. */
const IDLE_MAX = 5;
const IDLE_MS = 400;
const CONCURRENCY = 8;
/** Number of operations above which a plan counts as a first sync or a change of everything. */
const LONG_PLAN = 512;
/** Each commit waits for the disk; what was done since the last one is found out again after a crash. */
const COMMIT_EVERY = 256;
/** Deletions within this time count together. */
const RECENT_MS = 15 * 60 * 1000;

/**
 * Keeps a folder and a vault in sync. Each round observes both sides, makes a plan and carries it out; rounds repeat
 * until the plan is empty. Only one call of `sync` may run at a time. It keeps these promises, held by the named tests:
 *
 * 1. No text is lost: an edit wins over a deletion, and two contents of one path are merged or both kept
 *    (engine.test.ts, planner.test.ts).
 * 2. Mass deletions and overwrites wait for the user's approval, which covers only the plan that it was given for
 *    (brake.test.ts, decisions.test.ts).
 * 3. A device that may not write sends nothing to the vault (engine.test.ts, seeds with members).
 * 4. A file that cannot be read, or is still being written, is neither deleted nor replaced (denied.test.ts,
 *    busy-files.test.ts).
 * 5. A killed run is continued: what it had done is neither done again nor taken for an edit (recognition.test.ts,
 *    server/test/faults/sync-kills.pg.test.ts).
 * 6. The text of a held note is neither sent nor fetched (holds.test.ts).
 */
export class SyncEngine {
  readonly #ports: Ports;
  readonly #options: EngineOptions;
  readonly #state: SyncState;
  readonly #contents: FileContents;
  readonly #observer: Observer;
  readonly #holds: Holds;
  readonly #refusals: Refusals;

  private constructor(ports: Ports, options: EngineOptions, state: SyncState) {
    this.#ports = ports;
    this.#options = options;
    this.#state = state;
    this.#contents = new FileContents(ports.disk, ports.hashing);
    this.#holds = new Holds(state, this.#contents);
    this.#refusals = new Refusals(state, ports.clock);
    const { direction, patience = PATIENCE } = options;
    const rest = () => this.#rest();
    this.#observer = new Observer(ports, state, this.#contents, this.#holds, { direction, patience, rest });
  }

  async #rest(): Promise<void> {
    await this.#options.rest?.();
  }

  static async open(ports: Ports, options: EngineOptions): Promise<SyncEngine> {
    const state = await SyncState.load(ports.store, () => ports.disk.flush(), options.rest);
    return new SyncEngine(ports, options, state);
  }

  /**
   * Undoes what the brake stopped instead of carrying it out: deleted files come back, overwritten ones get the content
   * of the side that did not change. The next `sync` does the work.
   */
  async putBack(): Promise<void> {
    const { trees } = await this.#observer.observeSettled();
    await this.#record(putBack((await this.#plan(trees)).operations, trees));
  }

  /** Makes the folder equal to the vault with the next `sync`; what only the folder has goes to the trash. */
  async followServer(): Promise<void> {
    const { trees } = await this.#observer.observeSettled();
    await this.#record(followServer(trees));
  }

  /**
   * Makes the vault equal to the folder with the next `sync`; what only the vault has goes to the trash of this device
   * first. Has no effect on a device that may not write to the vault.
   */
  async makeAuthoritative(): Promise<void> {
    const { trees } = await this.#observer.observeSettled();
    if (this.#state.isReadOnly) return;
    const changes = makeAuthoritative(trees);
    const after = { ...trees, synced: { ...trees.synced, files: syncedAfter(trees, changes) } };
    for (const file of overwrittenRemotely((await this.#plan(after)).operations, trees)) {
      // What the server cannot open it does not overwrite either.
      const content = await this.#ports.server.read(file).catch(nullIfDamaged);
      if (content === null) continue;
      const bytes = this.#contents.verified(content);
      await this.#ports.disk.keep(file.path, { bytes, size: content.size, mtime: file.mtime });
    }
    await this.#record(changes);
  }

  /** Returns whether the feed was read up to a seq just now: then it has nothing new for a while. */
  hasRead(changeSeq: number): boolean {
    return this.#observer.hasRead(changeSeq);
  }

  /** Notes whose text something else exchanges with the server. */
  get holds(): Pick<Holds, 'hold' | 'reserve' | 'pathOf'> {
    return this.#holds;
  }

  /** Compares everything with the next `sync`: every file is read again, on both sides, and refusals are retried. */
  async checkAll(): Promise<void> {
    for (const path of [...this.#state.hashedPaths]) this.#state.record({ type: 'hashGone', path });
    for (const key of [...this.#state.refused.keys()]) this.#state.record({ type: 'retried', key });
    await this.#observer.compareAnew();
    await this.#state.commit();
  }

  async #record(changes: readonly StateChange[]): Promise<void> {
    this.#state.record(...changes);
    await this.#state.commit();
  }

  /**
   * Returns what is still to do as far as it is known without the server: the folder as it is now, compared with the
   * vault as it was last seen. Throws FolderGone.
   */
  async pending(): Promise<readonly Operation[]> {
    const { operations, unwanted } = await this.#plan(await this.#observer.observeLocal());
    return [...operations.filter((operation) => this.#refusals.of(operation) === undefined), ...unwanted];
  }

  /**
   * Returns the plan that `sync` would carry out now, with the contents that follow its renames. Throws FolderGone and
   * the errors of the server port.
   */
  async preview(): Promise<Plan> {
    const { trees } = await this.#observer.observeSettled(false);
    return this.#plan(trees, true);
  }

  /**
   * Synchronizes both sides. Throws FolderGone, ServerUnreachable and ServerStopped. What was done before an error is
   * kept, and the next call continues from there.
   */
  async sync({ approval, signal }: SyncOptions = {}): Promise<SyncResult> {
    this.#refusals.forgetDenied();
    let done = 0;
    let idle = 0;
    let renaming = 0;
    const carriedOut = new Set<string>();
    for (let round = 1; ; round++) {
      signal?.throwIfAborted();
      const { trees, local, own } = await this.#observer.observe();
      if (local.isRenaming && renaming < RENAMING_MAX) {
        renaming += 1;
        await this.#ports.clock.sleep(waitOf(local.settlesInMs ?? 0, 0), signal);
        continue;
      }
      const { operations, unwanted, problems } = await this.#plan(trees);
      await this.#rest();
      const refused = operations.map((operation) => this.#refusals.of(operation));
      const open = operations.filter((_, index) => refused[index] === undefined);
      const refusals = refused.filter((one) => one !== undefined);
      const { disk } = this.#ports;
      const unsynced = [...local.skipped, ...unsyncedFiles(refusals, problems, { disk, known: this.#refusals })];
      const isAnyDenied = unsynced.some(({ isDenied }) => isDenied);
      const retryAt = this.#refusals.retryAt(refusals, isAnyDenied);
      const { isReadOnly } = this.#state;
      const result = { done, unsynced, brakes: [], pending: [...open, ...unwanted], isReadOnly, retryAt };
      // Nothing is lost where the vault has seen the text that is replaced.
      const isSeen = replacesOneOf(own);
      const risky = open.filter((operation) => !isSeen(operation));
      const found = brake(risky, trees, this.#recentDeletions());
      // Not yet while files settle: the plan is not known then.
      if (open.length > 0 || local.settlesInMs === null) approval?.meet(open, found);
      if (open.length === 0) {
        await this.#state.commit();
        if (local.settlesInMs === null) return { ...result, kind: 'in step' };
        if (idle === IDLE_MAX) return { ...result, kind: 'unsettled' };
        await this.#ports.clock.sleep(waitOf(local.settlesInMs, idle), signal);
        idle += 1;
        continue;
      }
      const isApproved = (operation: Operation) => found.length > 0 && approval?.covers(operation) === true;
      const unapproved = risky.filter((operation) => !isApproved(operation));
      const brakes = brake(unapproved, trees, this.#recentDeletions());
      const hashAt = (path: string) => this.#state.lastSeen(path)?.hash;
      const free = open.filter((operation) => isApproved(operation) || !isHeld(operation, brakes));
      const allowed = this.#holds.allowed(free, hashAt);
      if (allowed.length === 0) {
        await this.#state.commit();
        return { ...result, kind: 'waiting', brakes };
      }
      if (round > ROUNDS_MAX || idle === IDLE_MAX)
        return { ...result, brakes, kind: local.settlesInMs === null ? 'unfinished' : 'unsettled' };
      const replaced = new Set(allowed.filter(isSeen).map((operation) => 'id' in operation && operation.id));
      await this.#observer.ownTexts.agree(
        own.filter(({ id }) => replaced.has(id)),
        local.entries,
      );
      this.#options.onPlan?.(allowed);
      // What was approved does not count again, and neither does what had led to the question.
      if (allowed.some(isApproved)) this.#state.record({ type: 'deletions', deletions: [] });
      const doneNow = await this.#holds.during(this.#carryOut(allowed, local, isApproved, signal));
      done += doneNow;
      // What a server forgets or takes back is asked of it again, which is no progress.
      const attempts = allowed.map(attemptOf);
      const isProgress = doneNow > 0 && attempts.some((attempt) => !carriedOut.has(attempt));
      for (const attempt of attempts) carriedOut.add(attempt);
      idle = isProgress ? 0 : idle + 1;
      if (doneNow === 0) await this.#ports.clock.sleep(IDLE_MS, signal);
    }
  }

  #plan(trees: Trees, foresees = false): Promise<Plan> {
    const label = conflictLabel(this.#options.device, new Date(this.#ports.clock.now()));
    const direction = this.#options.direction ?? 'both';
    const canStore = (path: string) => this.#ports.disk.pathFault(path) === null;
    const isRefused = (operation: Operation) => this.#refusals.of(operation) !== undefined;
    const steps = planInSteps(trees, {
      label,
      direction,
      isReadOnly: this.#state.isReadOnly,
      canStore,
      isRefused,
      foresees,
    });
    return withRests(steps, () => this.#rest());
  }

  /** Returns the deletions of the last while, by side, and forgets older ones. */
  #recentDeletions(): RecentDeletions {
    const now = this.#ports.clock.now();
    const recent = this.#state.deletions.filter(({ at }) => Math.abs(now - at) < RECENT_MS);
    if (recent.length < this.#state.deletions.length) this.#state.record({ type: 'deletions', deletions: recent });
    const count = (side: Deletion['side']) => recent.filter((deletion) => deletion.side === side).length;
    return { local: count('local'), remote: count('remote') };
  }

  #countDeletion({ type }: Operation): void {
    if (type !== 'deleteLocal' && type !== 'deleteRemote') return;
    const deletion = { side: type === 'deleteLocal' ? 'local' : 'remote', at: this.#ports.clock.now() } as const;
    this.#state.record({ type: 'deletions', deletions: [...this.#state.deletions, deletion] });
  }

  /** Returns the number of operations carried out. @param isApproved whether a deletion among them is approved */
  async #carryOut(
    operations: readonly Operation[],
    local: LocalObservation,
    isApproved: (operation: Operation) => boolean,
    signal?: AbortSignal,
  ): Promise<number> {
    const parts = { ...this.#ports, contents: this.#contents, state: this.#state };
    const executor = new Executor(parts, local.entries, operations.length > LONG_PLAN);
    let done = 0;
    let sinceCommit = 0;
    const finished = async (operation: Operation, outcome: Outcome) => {
      this.#options.onOperation?.(operation, outcome);
      if (outcome.kind === 'done') done += 1;
      if (outcome.kind === 'done' && !isApproved(operation)) this.#countDeletion(operation);
      if (outcome.kind === 'refused') this.#refusals.add(operation, outcome);
      sinceCommit += 1;
      if (sinceCommit < COMMIT_EVERY) return;
      sinceCommit = 0;
      await this.#state.commit();
    };
    const tasks = tasksOf(operations).map((task) => async () => {
      await this.#rest();
      signal?.throwIfAborted();
      if (task.kind === 'one') return finished(task.operation, await executor.run(task.operation));
      const outcomes = await executor.createNotes(task.operations);
      for (const [at, operation] of task.operations.entries())
        await finished(operation, outcomes[at] ?? { kind: 'changed' });
    });
    try {
      await inParallel(tasks, CONCURRENCY);
    } finally {
      await this.#state.commit();
    }
    return done;
  }
}

/** Returns whether an operation replaces one of some notes here by the vault's text. */
function replacesOneOf(files: readonly SyncedFile[]): (operation: Operation) => boolean {
  const ids = new Set(files.map(({ id }) => id));
  return (operation) => operation.type === 'writeLocal' && ids.has(operation.id);
}

/** Returns a key that an operation has in later rounds too, in which the names of its conflict copies have another time. */
function attemptOf(operation: Operation): string {
  return keyOf(operation).replace(/\d{4}-\d\d-\d\d \d\d-\d\d-\d\d/g, '');
}

function nullIfDamaged(error: unknown): null {
  if (error instanceof RemoteDamaged) return null;
  throw error;
}
