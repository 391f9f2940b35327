import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { GroupQueue } from '../../../../concurrency/group-queue.ts';
import { runOnReserve } from '../../../../concurrency/tenant.ts';
import { WRITE_GROUP } from '../../../../config/limits.ts';
import { DatabaseError, type WriteHandle } from '../../../../ports/database/database.ts';
import type { ActivityChange, RecordedWrite } from '../../activity-log/activity-log.ts';
import type { PathOwner, WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { CommitDeps } from '../notes.deps.ts';
import { type Cause, isRowWrite, StalePlans, writePlans } from './write-rows.ts';
import type { CommittedNote, WritePlan } from './write-target.ts';
import { lastVersionOf, type RowWrite, type VersionAuthors } from './write-target.ts';

/** Plans that could not be carried out, each with the error of its note; null when it has to be prepared again. */
export type FailedPlans = ReadonlyMap<WritePlan, NotevaultError | null>;

interface NoteWrite<Result> {
  /**
   * Reads the vault and seals the new values, outside any transaction; throws to refuse the write. Called again with
   * failed plans: then resolves to the remaining plans, with new ones where rows had changed.
   */
  prepare(failed: FailedPlans): Promise<readonly WritePlan[]>;
  /** Completes the transaction after the notes were written; resolves to the result. */
  apply(handle: WriteHandle, done: ReadonlyMap<WritePlan, CommittedNote>): Promise<Result>;
}

/** A prepared operation that waits for its vault. */
interface PreparedWrite extends Pick<WriteContext, 'vault' | 'origin'> {
  readonly plans: readonly WritePlan[];
  apply(handle: WriteHandle, done: ReadonlyMap<WritePlan, CommittedNote>): Promise<unknown>;
}

/** Maximum attempts per operation. Each failed one lost to a faster writer; more in a row indicate a fault. */
const ROUNDS_MAX = 50;
/** Maximum rows of a short transaction; larger ones run as bulk, in slices, so that reads are not delayed. */
const SHORT_MAX = 20;

/**
 * Writes notes, with one queue per vault. Operations are prepared concurrently, outside any transaction; those that are
 * prepared while another transaction of the vault runs share the next one, because writers of a vault exclude each other
 * anyway. It keeps these promises, held by vault-writer.pg.test.ts unless another test is named:
 *
 * 1. A result is returned only once its transaction is on disk (server/test/faults/kill.pg.test.ts).
 * 2. A plan is carried out only if its rows are unchanged under the vault's lock; otherwise its operation is prepared
 *    again. Moves, deletions, uploads and other processes write without the queue ("one whose row changed meanwhile").
 * 3. An operation fails alone: the others of its group are applied without it ("fail alone").
 * 4. An operation is written only under rights that still hold in the transaction, also when it shares it with others
 *    (server/test/races/rights.pg.test.ts).
 * 5. A note and the answer under the operation's idempotency key commit together ("its own idempotency key").
 * 6. Each change has its own seq, in the order of the feed ("a seq of its own in the feed").
 */
export class VaultWriter {
  readonly #deps: CommitDeps;
  readonly #queue: GroupQueue<VaultId, PreparedWrite, unknown>;

  constructor(deps: CommitDeps) {
    this.#deps = deps;
    this.#queue = new GroupQueue(sizesOf, [WRITE_GROUP.notes, WRITE_GROUP.bytes, WRITE_GROUP.links], (group) =>
      applyGroup(deps, group),
    );
  }

  /** Resolves to the result once the write is on disk. Throws `limit_exceeded`, and the errors of the write. */
  async enqueue<Result>(context: WriteContext<Result>, { prepare, apply }: NoteWrite<Result>): Promise<Result> {
    const { vault, inTransaction, origin } = context;
    let failed: FailedPlans = new Map();
    for (let round = 1; ; round++) {
      const prepared: PreparedWrite = {
        vault,
        origin,
        plans: await prepare(failed),
        async apply(handle, done) {
          const result = await apply(handle, done);
          await inTransaction?.(handle, result);
          return result;
        },
      };
      try {
        // A long one shares with none, and in the queue each would wait for the disk of the one before.
        const applying = isLong(prepared) ? applyAlone(this.#deps, prepared) : this.#queue.add(vault.id, prepared);
        const result = (await applying) as Result;
        // Nobody waits for the links of a flush.
        if (vault.standing !== undefined) await this.#deps.hooks.linksResolved(vault);
        return result;
      } catch (error) {
        if (!(error instanceof StalePlans)) throw error;
        if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
        failed = await this.#failedOf(vault, error.causes);
      }
    }
  }

  /** Like `enqueue`, for one note; its error is thrown. */
  enqueueOne<Result>(
    context: WriteContext<Result>,
    plan: () => Promise<WritePlan>,
    apply: (handle: WriteHandle, done: CommittedNote) => Promise<Result>,
  ): Promise<Result> {
    return this.enqueue(context, {
      async prepare(failed) {
        for (const error of failed.values()) if (error !== null) throw error;
        return [await plan()];
      },
      async apply(handle, done) {
        const [only] = done.values();
        if (only === undefined) throw new TypeError('a note was not written');
        return apply(handle, only);
      },
    });
  }

  async #failedOf(vault: OpenVault, causes: ReadonlyMap<WritePlan, Cause>): Promise<FailedPlans> {
    const failed = new Map<WritePlan, NotevaultError | null>();
    for (const [plan, cause] of causes) {
      const path = plan.kind === 'write' ? plan.next.path : plan.note.meta.path;
      failed.set(plan, isOwner(cause) ? await this.#deps.entries.conflictWith(vault, cause, path) : cause);
    }
    return failed;
  }
}

function isOwner(cause: Cause): cause is PathOwner {
  return cause !== null && !(cause instanceof NotevaultError);
}

function sizesOf({ plans }: PreparedWrite): [notes: number, bytes: number, links: number] {
  let [bytes, links] = [0, 0];
  for (const { next } of plans.filter(isRowWrite)) {
    bytes += next.content.length + (next.doc?.length ?? 0);
    links += next.derived.links.length;
  }
  return [plans.length, bytes, links];
}

function isLong(write: PreparedWrite): boolean {
  const [, , links] = sizesOf(write);
  return write.plans.filter(isRowWrite).length > SHORT_MAX || links > WRITE_GROUP.links;
}

/** Applies operations in one transaction; when that fails, each by itself, so that none fails because of another. */
async function applyGroup(
  deps: CommitDeps,
  group: readonly PreparedWrite[],
): Promise<readonly PromiseSettledResult<unknown>[]> {
  if (group.length > 1) {
    try {
      return await Promise.allSettled(await transact(deps, group, false));
    } catch (error) {
      // It is not known whether the group was committed, and doing it again could do it twice.
      const isLost = error instanceof DatabaseError && error.code === 'unavailable';
      if (isLost) return group.map(() => ({ status: 'rejected', reason: error }));
    }
  }
  const outcomes: PromiseSettledResult<unknown>[] = [];
  for (const write of group) outcomes.push(...(await Promise.allSettled([applyAlone(deps, write)])));
  return outcomes;
}

async function applyAlone(deps: CommitDeps, write: PreparedWrite): Promise<unknown> {
  return (await transact(deps, [write], isLong(write)))[0];
}

/** Throws StalePlans. */
async function transact(deps: CommitDeps, group: readonly PreparedWrite[], bulk: boolean): Promise<unknown[]> {
  const [first] = group as readonly [PreparedWrite];
  // A flush has no standing. One of the others is compared with the vault's row.
  const { vault } = group.find((write) => write.vault.standing !== undefined) ?? first;
  const standings = group.flatMap((write) => write.vault.standing ?? []);
  const others = standings.filter((standing) => !standing.isAlike(vault.standing));
  const plans = group.flatMap((write) => write.plans);
  const recorded = group.flatMap((write) => recordedWrites(write, write.plans.filter(isRowWrite)));
  const write = async (handle: WriteHandle) => {
    const [done] = await Promise.all([
      writePlans(deps, handle, vault, plans, bulk),
      deps.activity.append(handle, vault, recorded),
    ]);
    if (others.length > 0) await deps.vaults.holdRightsIn(handle, others);
    const doneOf = (write: PreparedWrite) =>
      new Map(write.plans.map((plan) => [plan, done.get(plan) as CommittedNote]));
    return Promise.all(group.map((write) => write.apply(handle, doneOf(write))));
  };
  // On a full disk acknowledged edits are still folded into their notes, because reads need them.
  const isFlush = vault.standing === undefined;
  return runOnReserve(() => deps.db.transact(write, bulk ? 'bulk' : 'normal'), isFlush);
}

const OPS = { new: 'create', live: 'edit', tombstone: 'restore' } as const;

/** Returns what a request, or a flush, writes, by author and kind of change. */
function recordedWrites({ origin }: Pick<WriteContext, 'origin'>, plans: readonly RowWrite[]): RecordedWrite[] {
  const writes = plans.filter(changesText).flatMap((plan) => authorsOf(plan).flatMap((each) => changesBy(plan, each)));
  const alike = Map.groupBy(writes, ({ action, actor }) => JSON.stringify([action, actor]));
  return [...alike.values()].flatMap((same) => {
    const [first] = same;
    return first === undefined ? [] : [{ ...first, origin, changes: same.map(({ change }) => change) }];
  });
}

/** Edits that cancel each other out change only the document. */
function changesText({ target, next }: RowWrite): boolean {
  return target.kind !== 'live' || target.note.meta.hash !== next.meta.hash || (next.between ?? []).length > 0;
}

function authorsOf({ target, next }: RowWrite): readonly VersionAuthors[] {
  return next.authors ?? [{ actors: [next.meta.actor], before: lastVersionOf(target), version: next.version }];
}

function changesBy({ target, next: { id, path } }: RowWrite, { actors, before, version }: VersionAuthors) {
  const op = OPS[target.kind];
  const versions = target.kind === 'new' ? { version } : { before, version };
  const shared = actors.length > 1 ? { shared: true } : {};
  const change: ActivityChange = { op, kind: 'note', id, path, ...versions, ...shared };
  const action = op === 'restore' ? ('restore' as const) : ('write' as const);
  return actors.map((actor) => ({ action, actor, change }));
}
