import { AsyncLocalStorage } from 'node:async_hooks';
import { currentTenant } from '../../../concurrency/tenant.ts';
import { DatabaseError, type Priority, type WriteHandle } from '../database.ts';
import { TransactionWatchdog } from '../transaction-watchdog.ts';
import { type Connection, whenFree } from './connection.ts';
import { portError } from './errors.ts';
import { SqliteHandle } from './handle.ts';
import type { Durability } from './wal.ts';
import { WriterQueue } from './writer-queue.ts';

interface Job {
  readonly body: (handle: WriteHandle) => Promise<unknown>;
  readonly priority: Priority;
  readonly tenant: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Runs a function in the caller's asynchronous context: the caller that came first works off the queue for all. */
  readonly inContext: <T>(work: () => T) => T;
  outcome: Outcome | undefined;
}

type Outcome =
  | { readonly kind: 'done'; readonly value: unknown; readonly effects: readonly (() => void)[] }
  | { readonly kind: 'threw' | 'left open'; readonly error: unknown };

export interface WriterLimits {
  /** Maximum transactions accepted and unanswered; more are refused as overloaded. */
  readonly maxWaiting: number;
  /** How long to wait for another process that holds the write lock. */
  readonly busyMs: number;
}

/** About how long bodies of one shared transaction run before it commits, so that the event loop stays responsive. */
const GROUP_MS = 4;
/** Turns of the event loop between two slices of a bulk body: a request takes several, and would wait for a slice at each. */
const TURNS_BETWEEN = 3;
/** How long a bulk body may leave its handle unused before it is considered stuck. */
const BULK_IDLE_MS = 10_000;

/**
 * The only connection that writes. Bodies run one after another in a shared transaction, where each can be undone
 * separately, so that one commit and one sync of the disk serve all. Each bulk body runs in its own transaction.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #durability: Durability;
  readonly #limits: WriterLimits;
  readonly #statements;
  readonly #queue: WriterQueue<Job>;
  #unanswered = 0;
  #working: Promise<void> | undefined;
  #lock: Promise<void> | undefined;
  #bulk: Promise<void> | undefined;
  #endOfTurn: Promise<null> | undefined;
  #changesSeen = 0;
  #closing = false;

  constructor(connection: Connection, durability: Durability, limits: WriterLimits) {
    this.#connection = connection;
    this.#durability = durability;
    this.#limits = limits;
    this.#queue = new WriterQueue(Math.ceil(limits.maxWaiting / 2));
    this.#statements = {
      begin: connection.prepare('begin immediate'),
      commit: connection.prepare('commit'),
      rollback: connection.prepare('rollback'),
      savepoint: connection.prepare('savepoint body'),
      release: connection.prepare('release body'),
      rollbackTo: connection.prepare('rollback to body'),
      changes: connection.prepare('select total_changes()'),
    };
  }

  transact<T>(body: (handle: WriteHandle) => Promise<T>, priority: Priority = 'normal'): Promise<T> {
    if (this.#closing) return Promise.reject(new DatabaseError('unavailable', 'the database is closed'));
    if (this.#durability.failure !== undefined) return Promise.reject(this.#durability.failure);
    if (this.#unanswered >= this.#limits.maxWaiting) return Promise.reject(overloaded());
    return new Promise<T>((resolve, reject) => {
      const inContext = AsyncLocalStorage.snapshot();
      const tenant = currentTenant();
      const job = { body, priority, tenant, resolve: resolve as Job['resolve'], reject, inContext, outcome: undefined };
      if (!this.#queue.push(job)) {
        reject(overloaded());
        return;
      }
      this.#unanswered++;
      this.#working ??= this.#work();
    });
  }

  /** Keeps the write lock free while `work` runs; transactions wait meanwhile. */
  async lock(work: () => Promise<void>): Promise<void> {
    // Transactions begin and end within one turn of the event loop, except bulk ones.
    while (this.#lock !== undefined || this.#bulk !== undefined) await (this.#lock ?? this.#bulk);
    const working = work();
    this.#lock = working
      .catch(() => {})
      .finally(() => {
        this.#lock = undefined;
      });
    await working;
  }

  /** Refuses new transactions and waits until accepted ones are answered. */
  async close(): Promise<void> {
    this.#closing = true;
    while (this.#unanswered > 0) await nextTurn();
    await this.#working;
    await this.#durability.whenDurable();
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0) {
      // Waits a turn, so that more callers can join this transaction.
      await nextTurn();
      while (this.#lock !== undefined) await this.#lock;
      const failure = this.#durability.failure;
      if (failure === undefined) await this.#group();
      else for (const job of this.#queue.clear()) this.#answer(job, failed(failure));
    }
    this.#working = undefined;
  }

  async #group(): Promise<void> {
    const until = performance.now() + GROUP_MS;
    const jobs: Job[] = [];
    const next = () => {
      const open = performance.now() < until && canGroup(jobs[0]?.priority, this.#queue.nextPriority);
      const job = jobs.length === 0 || open ? this.#queue.shift() : undefined;
      if (job !== undefined) jobs.push(job);
      return job;
    };
    const result = await this.#transaction(next);
    if ('committed' in result) return this.#answerOnceDurable(jobs);
    if (result.begun === false) jobs.push(...this.#queue.clear());
    if (jobs.length === 1 || !result.begun) {
      for (const job of jobs) this.#answer(job, failed(result.error));
      return;
    }
    await this.#eachAlone(jobs);
  }

  /** Runs each body of a lost shared transaction alone, so that the one that failed does not fail the others. */
  async #eachAlone(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      if (job.outcome?.kind === 'left open') {
        this.#answerOnceDurable([job]);
        continue;
      }
      const rest = [job];
      const result = await this.#transaction(() => rest.pop());
      if ('committed' in result) this.#answerOnceDurable([job]);
      else this.#answer(job, failed(result.error));
    }
  }

  /** Runs the bodies that `next` returns, undoes failed ones, and commits; an error if nothing was committed. */
  async #transaction(next: () => Job | undefined): Promise<{ committed: true } | { error: unknown; begun: boolean }> {
    try {
      await this.#begin();
    } catch (error) {
      return { error: portError(error), begun: false };
    }
    try {
      let kept = 0;
      for (let job = next(); job !== undefined; job = next()) {
        job.outcome = undefined;
        // A savepoint keeps every page that its body changes in memory as it was, which costs half as much as the writes
        // themselves. While nothing in front is to be kept, the whole transaction can be undone instead.
        const isFirst = kept === 0;
        if (!isFirst) this.#statements.savepoint();
        const began = performance.now();
        const { handle, outcome } = job.priority === 'bulk' ? await this.#runBulk(job) : await this.#runGrouped(job);
        handle.end();
        this.#queue.charge(job, performance.now() - began);
        job.outcome = outcome;
        if (!this.#connection.inTransaction) return { error: handle.failure?.error ?? lostByBody(), begun: true };
        if (outcome.kind === 'done') kept += 1;
        else if (!isFirst) this.#statements.rollbackTo();
        else {
          this.#statements.rollback();
          await this.#begin();
        }
        if (!isFirst) this.#statements.release();
      }
      const changes = this.#statements.changes();
      this.#statements.commit();
      if (changes !== this.#changesSeen) this.#durability.committed();
      this.#changesSeen = changes;
      return { committed: true };
    } catch (error) {
      this.#rollBack();
      return { error: portError(error), begun: true };
    }
  }

  /** Waits for the write lock; from then on no other process commits, and its bodies may read what others committed. */
  async #begin(): Promise<void> {
    await whenFree(this.#statements.begin, this.#limits.busyMs);
    this.#durability.noticeOthers();
  }

  async #runGrouped(job: Job) {
    const handle = new SqliteHandle(this.#connection);
    const outcome = await Promise.race([outcomeOf(job, handle), this.#endTurn()]);
    return { handle, outcome: outcome ?? ({ kind: 'left open', error: leftOpen() } as const) };
  }

  /** Runs a bulk body in slices, between which the event loop does everything but write. */
  async #runBulk(job: Job) {
    const open = Promise.withResolvers<Outcome>();
    using deadline = new TransactionWatchdog(BULK_IDLE_MS, () =>
      open.resolve({ kind: 'left open', error: leftOpen() }),
    );
    let since = performance.now();
    const pause = () => {
      if (performance.now() - since < GROUP_MS) return undefined;
      return turns(TURNS_BETWEEN).then(() => {
        since = performance.now();
      });
    };
    const handle = new SqliteHandle(this.#connection, () => deadline.used(), pause);
    const outcome = Promise.race([outcomeOf(job, handle), open.promise]);
    this.#bulk = outcome.then(() => undefined);
    try {
      return { handle, outcome: await outcome };
    } finally {
      this.#bulk = undefined;
    }
  }

  #rollBack(): void {
    try {
      if (this.#connection.inTransaction) this.#statements.rollback();
    } catch (error) {
      // Stuck in a transaction, the only writer cannot continue.
      this.#durability.fail(error);
    }
  }

  /** Resolves at the next `setImmediate`, which is later than anything a body reaches by awaiting only its handle. */
  #endTurn(): Promise<null> {
    this.#endOfTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#endOfTurn = undefined;
        resolve(null);
      });
    });
    return this.#endOfTurn;
  }

  /** Answers jobs once the commit is on disk, also those that threw: unfinished rows may be the cause. */
  #answerOnceDurable(jobs: readonly Job[]): void {
    this.#durability.wait({
      onDisk: () => {
        for (const job of jobs) this.#answer(job, job.outcome ?? failed(lostByBody()));
      },
      lost: (error) => {
        for (const job of jobs) this.#answer(job, failed(error));
      },
    });
  }

  #answer(job: Job, outcome: Outcome): void {
    this.#unanswered--;
    if (outcome.kind !== 'done') {
      job.reject(outcome.error);
      return;
    }
    for (const effect of outcome.effects) {
      try {
        job.inContext(effect);
      } catch (error) {
        // The transaction is on disk, so its caller must not see the error, which is reported as uncaught instead.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
    job.resolve(outcome.value);
  }
}

/** A bulk body shares with none, because all would wait for it; an interactive one shares only with its kind. */
function canGroup(first: Priority | undefined, next: Priority | undefined): boolean {
  return first === next && first !== 'bulk';
}

async function outcomeOf(job: Job, handle: SqliteHandle): Promise<Outcome> {
  try {
    const value = await job.inContext(() => job.body(handle));
    if (handle.failure === undefined) return { kind: 'done', value, effects: handle.effects };
    return failed(handle.failure.error);
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Outcome {
  return { kind: 'threw', error };
}

function leftOpen(): DatabaseError {
  return new DatabaseError('body_left_open', 'the body of a transaction awaited something other than its handle');
}

function overloaded(): DatabaseError {
  return new DatabaseError('overloaded', 'too many transactions are waiting');
}

function lostByBody(): DatabaseError {
  return new DatabaseError('unavailable', 'the transaction ended before its body did');
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
