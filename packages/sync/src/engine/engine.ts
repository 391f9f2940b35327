import { type BrakeReason, brake } from '../plan/brake.ts';
import { conflictLabel } from '../plan/names.ts';
import type { Operation, Problem } from '../plan/operations.ts';
import { type Plan, plan } from '../plan/planner.ts';
import { kindOf, type Trees } from '../plan/trees.ts';
import { Executor, type Outcome } from './executor.ts';
import { type LocalObservation, LocalObserver, PATIENCE, type Patience } from './local-observer.ts';
import type { Ports } from './ports.ts';
import { RemoteObserver } from './remote-observer.ts';
import { SyncState } from './sync-state.ts';

/** The direction in which changes are applied. */
export type Direction = 'both' | 'pull' | 'push';

export interface EngineOptions {
  /** The name of this device, used in the names of conflict copies. */
  readonly device: string;
  readonly direction?: Direction;
  readonly patience?: Patience;
  /** Called after each attempted operation. */
  onOperation?(operation: Operation, outcome: Outcome): void;
}

/** A path that is not in sync, and the reason. */
export interface Unsynced {
  readonly path: string;
  readonly reason: string;
}

export interface SyncResult {
  /**
   * `in step`: both sides are equal, except for what `unsynced` lists. `waiting`: the user must approve what `brakes`
   * lists. `unsettled`: some files are still being written. `unfinished`: one side kept changing during the run.
   */
  readonly kind: 'in step' | 'waiting' | 'unsettled' | 'unfinished';
  readonly brakes: readonly BrakeReason[];
  readonly unsynced: readonly Unsynced[];
  /** The number of operations carried out. */
  readonly done: number;
}

/** Maximum number of rounds per run. Each round reduces the difference, unless one side keeps changing. */
const ROUNDS_MAX = 200;
/** Maximum number of consecutive rounds in which no operation could run because its preconditions had changed. */
const IDLE_MAX = 5;
const IDLE_MS = 400;
const CONCURRENCY = 8;
/** Maximum number of notes created in one request. */
const NOTES_PER_REQUEST = 100;
const COMMIT_EVERY = 64;

/**
 * Keeps a folder and a vault in sync. Each round observes both sides, makes a plan and carries it out; rounds repeat
 * until the plan is empty. Only one call of `sync` may run at a time.
 */
export class SyncEngine {
  readonly #ports: Ports;
  readonly #options: EngineOptions;
  readonly #state: SyncState;
  readonly #local: LocalObserver;
  readonly #remote: RemoteObserver;
  /** Refused operations by key. An operation is not retried until its effect would be different. */
  readonly #refused = new Map<string, Unsynced>();

  private constructor(ports: Ports, options: EngineOptions, state: SyncState) {
    this.#ports = ports;
    this.#options = options;
    this.#state = state;
    this.#local = new LocalObserver(ports.disk, ports.clock, state, options.patience ?? PATIENCE);
    this.#remote = new RemoteObserver(ports.server, state);
  }

  static async open(ports: Ports, options: EngineOptions): Promise<SyncEngine> {
    return new SyncEngine(ports, options, await SyncState.load(ports.store));
  }

  /** Returns the plan that `sync` would carry out now. Throws FolderGone and the errors of the server port. */
  async preview(): Promise<Plan> {
    const { trees } = await this.#observe();
    return this.#plan(trees);
  }

  /**
   * Synchronizes both sides. Throws FolderGone, ServerUnreachable and ServerStopped. What was done before an error is
   * kept, and the next call continues from there.
   *
   * @param isApproved whether the user has approved the operations that the brake stopped.
   */
  async sync(isApproved = false, signal?: AbortSignal): Promise<SyncResult> {
    let done = 0;
    let idle = 0;
    for (let round = 1; ; round++) {
      signal?.throwIfAborted();
      const { trees, local } = await this.#observe();
      const { operations, problems } = this.#plan(trees);
      const open = operations.filter((operation) => !this.#refused.has(keyOf(operation)));
      const result = { done, unsynced: this.#unsynced(operations, problems, local), brakes: [] };
      if (open.length === 0) {
        await this.#state.commit();
        if (!local.unsettled) return { ...result, kind: 'in step' };
        if (idle === IDLE_MAX) return { ...result, kind: 'unsettled' };
        idle += 1;
        await this.#ports.clock.sleep(IDLE_MS, signal);
        continue;
      }
      const brakes = isApproved ? [] : brake(open, trees);
      if (brakes.length > 0) return { ...result, kind: 'waiting', brakes };
      if (round > ROUNDS_MAX || idle === IDLE_MAX)
        return { ...result, kind: local.unsettled ? 'unsettled' : 'unfinished' };
      const doneNow = await this.#carryOut(open, local, signal);
      done += doneNow;
      idle = doneNow === 0 ? idle + 1 : 0;
      if (doneNow === 0) await this.#ports.clock.sleep(IDLE_MS, signal);
    }
  }

  async #observe(): Promise<{ readonly trees: Trees; readonly local: LocalObservation }> {
    // The disk comes first: a missing folder is noticed quickly and saves the requests to the server.
    const local = await this.#local.observe();
    const remote = await this.#remote.observe();
    const synced = { files: [...this.#state.synced.values()], folders: [...this.#state.folders.values()] };
    return { trees: { local: local.tree, remote, synced }, local };
  }

  #plan(trees: Trees): Plan {
    const label = conflictLabel(this.#options.device, new Date(this.#ports.clock.now()));
    const made = plan(trees, { label, canStore: (path) => this.#ports.disk.canStore(path) });
    const direction = this.#options.direction ?? 'both';
    if (direction === 'both') return made;
    const other = direction === 'pull' ? isUp : isDown;
    return { ...made, operations: made.operations.filter((operation) => !other(operation)) };
  }

  #unsynced(operations: readonly Operation[], problems: readonly Problem[], local: LocalObservation): Unsynced[] {
    const refused = operations
      .map((operation) => this.#refused.get(keyOf(operation)))
      .filter((one) => one !== undefined);
    const named = problems.map(({ path, reason }) => ({ path, reason: PROBLEMS[reason] }));
    return [...local.skipped, ...named, ...refused];
  }

  /** Returns the number of operations carried out. */
  async #carryOut(operations: readonly Operation[], local: LocalObservation, signal?: AbortSignal): Promise<number> {
    const { disk, server } = this.#ports;
    const executor = new Executor(disk, server, this.#state, local.entries);
    let done = 0;
    let sinceCommit = 0;
    const finished = async (operation: Operation, outcome: Outcome) => {
      this.#options.onOperation?.(operation, outcome);
      if (outcome.kind === 'done') done += 1;
      if (outcome.kind === 'refused')
        this.#refused.set(keyOf(operation), { path: pathOf(operation), reason: outcome.reason });
      sinceCommit += 1;
      if (sinceCommit < COMMIT_EVERY) return;
      sinceCommit = 0;
      await this.#state.commit();
    };
    const tasks = tasksOf(operations).map((task) => async () => {
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

const PROBLEMS: Readonly<Record<Problem['reason'], string>> = {
  case: 'another file here has the same name but for the case of letters: rename one of them',
  name: 'cannot be on every disk: rename it in the vault',
};

type CreateRemote = Extract<Operation, { type: 'createRemote' }>;
type Task =
  | { readonly kind: 'one'; readonly operation: Operation }
  | { readonly kind: 'notes'; readonly operations: readonly CreateRemote[] };

/** Groups the operations into tasks; new notes are uploaded in batches. */
function tasksOf(operations: readonly Operation[]): Task[] {
  const isNewNote = (operation: Operation): operation is CreateRemote =>
    operation.type === 'createRemote' && kindOf(operation.path) === 'note';
  const notes = operations.filter(isNewNote);
  const tasks: Task[] = operations
    .filter((operation) => !isNewNote(operation))
    .map((operation) => ({ kind: 'one', operation }));
  for (let at = 0; at < notes.length; at += NOTES_PER_REQUEST)
    tasks.push({ kind: 'notes', operations: notes.slice(at, at + NOTES_PER_REQUEST) });
  return tasks;
}

async function inParallel(tasks: readonly (() => Promise<void>)[], concurrency: number): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async () => {
    while (failures.length === 0) {
      const task = tasks[next++];
      if (task === undefined) return;
      await task().catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, tasks.length) }, worker));
  if (failures.length > 0) throw failures[0];
}

function isUp({ type }: Operation): boolean {
  return type.includes('Remote') || type === 'pushContent';
}

function isDown({ type }: Operation): boolean {
  return type.includes('Local') || type === 'setAside';
}

function pathOf(operation: Operation): string {
  if ('path' in operation) return operation.path;
  if ('from' in operation) return operation.from;
  return operation.type === 'adopt' ? operation.file.path : operation.id;
}

/** Returns a key that is equal for operations with the same effect. */
function keyOf(operation: Operation): string {
  return JSON.stringify(operation);
}
