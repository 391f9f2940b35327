import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import { GroupQueue, type Outcome } from '../../../concurrency/group-queue.ts';
import { DatabaseError, type WriteHandle } from '../../../ports/database/database.ts';
import { NeedsLongTransaction } from '../../entries/revision-conflict.ts';
import type { OpenVault, TrashContents } from '../../vaults/vaults.ts';
import type { CommitDeps, Commits } from '../notes.deps.ts';
import { type CommittedNote, WriteConflicts, writePlans } from './commit-rows.ts';
import type { RowWrite, WritePlan } from './write-plan.ts';
import type { WriteTarget } from './write-target.ts';

/** What an operation writes to a vault, by the index of each note. */
export interface PlannedWrites {
  readonly vault: OpenVault;
  readonly plans: ReadonlyMap<number, WritePlan>;
  /** Called last in the transaction, with what was written; resolves to the operation's result. */
  finish(handle: WriteHandle, done: ReadonlyMap<number, CommittedNote>): Promise<unknown>;
}

/** A transaction with more writes runs as a bulk one, in slices, so that reads are not held up. */
const SHORT_MAX = 20;
/** The same for the number of links. */
const MANY_LINKS = 500;
/** Most notes, and bytes of their sealed texts, that share a transaction. */
const GROUP_NOTES = 16;
const GROUP_BYTES = 512 * 1024;

/**
 * Commits the writes of operations. Those that wait for the same vault share a transaction, because its writers exclude
 * each other anyway: a group takes the vault's lock once, and its statements share round trips. When a group cannot be
 * committed, each of its operations is done by itself, so that none fails because of another.
 */
export class GroupCommit implements Commits {
  readonly #deps: CommitDeps;
  readonly #queue: GroupQueue<VaultId, PlannedWrites, unknown>;

  constructor(deps: CommitDeps) {
    this.#deps = deps;
    this.#queue = new GroupQueue(sizesOf, [GROUP_NOTES, GROUP_BYTES, MANY_LINKS], (group) => commitGroup(deps, group));
  }

  /** Resolves to the result when the writes are on disk. Throws WriteConflicts, and the errors of `finish`. */
  async commit(writes: PlannedWrites): Promise<unknown> {
    return isLong(writes) ? commitAlone(this.#deps, writes) : this.#queue.add(writes.vault.id, writes);
  }
}

/** Returns the number of notes, the bytes of their sealed texts, and the number of links. */
function sizesOf(writes: PlannedWrites): [notes: number, bytes: number, links: number] {
  let [bytes, links] = [0, 0];
  for (const { next } of rowsOf([writes])) {
    bytes += next.content.length + (next.doc?.length ?? 0);
    links += next.derived.links.length;
  }
  return [writes.plans.size, bytes, links];
}

function isLong(writes: PlannedWrites): boolean {
  const [, , links] = sizesOf(writes);
  return rowsOf([writes]).length > SHORT_MAX || links > MANY_LINKS;
}

function rowsOf(group: readonly PlannedWrites[]): RowWrite[] {
  return group.flatMap(({ plans }) => [...plans.values()].filter((plan) => plan.kind === 'write'));
}

async function commitGroup(deps: CommitDeps, group: readonly PlannedWrites[]): Promise<Outcome<unknown>[]> {
  const outcomes = new Map<PlannedWrites, Outcome<unknown>>();
  let rest = group;
  while (rest.length > 1) {
    try {
      const results = await transact(deps, rest, false);
      for (const [index, writes] of rest.entries()) outcomes.set(writes, { value: results[index] });
      rest = [];
    } catch (error) {
      if (!(error instanceof GroupConflicts)) {
        // The database is unavailable: the group may have been committed, and doing it again could do it twice.
        const isLost = error instanceof DatabaseError && error.code === 'unavailable';
        if (isLost) for (const writes of rest) outcomes.set(writes, { error });
        break;
      }
      for (const [writes, conflicts] of error.conflicts) outcomes.set(writes, { error: conflicts });
      rest = rest.filter((writes) => !outcomes.has(writes));
    }
  }
  for (const writes of group) {
    if (outcomes.has(writes)) continue;
    outcomes.set(writes, await commitAlone(deps, writes).then(...asOutcome));
  }
  return group.map((writes) => outcomes.get(writes) as Outcome<unknown>);
}

const asOutcome = [(value: unknown) => ({ value }), (error: unknown) => ({ error })] as const;

async function commitAlone(deps: CommitDeps, writes: PlannedWrites): Promise<unknown> {
  const commit = async (bulk: boolean) => (await transact(deps, [writes], bulk))[0];
  try {
    if (isLong(writes)) return await commit(true);
    // A name with thousands of links to it is found only by looking, and rarely.
    return await commit(false).catch((error) => {
      if (error instanceof NeedsLongTransaction) return commit(true);
      throw error;
    });
  } catch (error) {
    throw error instanceof GroupConflicts ? error.conflicts.get(writes) : error;
  }
}

/** The conflicts of each operation that has some. */
class GroupConflicts extends Error {
  readonly conflicts: ReadonlyMap<PlannedWrites, WriteConflicts>;
  constructor(conflicts: ReadonlyMap<PlannedWrites, WriteConflicts>) {
    super('not everything can be written as it was prepared');
    this.conflicts = conflicts;
  }
}

/** Carries out operations on one vault in one transaction; resolves to their results. Throws GroupConflicts. */
async function transact(deps: CommitDeps, group: readonly PlannedWrites[], bulk: boolean): Promise<unknown[]> {
  const [{ vault }] = group as readonly [PlannedWrites];
  const numbered = group.flatMap((writes) => [...writes.plans].map(([index, plan]) => ({ writes, index, plan })));
  const plans = new Map(numbered.map(({ plan }, number) => [number, plan]));
  const rows = rowsOf(group);
  const fresh = rows.filter(({ target }) => target.kind !== 'live').length;
  const trash = outOfTrash(rows.map(({ target }) => target));
  const body = async (handle: WriteHandle) => {
    const seqs = rows.length;
    const first = seqs === 0 ? 0 : await deps.vaults.advance(handle, vault, { seqs, notes: fresh, trash });
    const done = await writePlans(deps, handle, vault, plans, first as Seq, bulk);
    const doneBy = Map.groupBy(numbered.entries(), ([, { writes }]) => writes);
    const doneOf = (writes: PlannedWrites) =>
      new Map(doneBy.get(writes)?.map(([number, { index }]) => [index, done.get(number) as CommittedNote]));
    return Promise.all(group.map((writes) => writes.finish(handle, doneOf(writes))));
  };
  try {
    return await deps.db.transact(body, bulk ? 'bulk' : 'normal');
  } catch (error) {
    if (!(error instanceof WriteConflicts)) throw error;
    const by = Map.groupBy(error.conflicts, ({ index: number }) => numbered[number]?.writes as PlannedWrites);
    const own = [...by].map(([writes, conflicts]) => {
      const renumbered = conflicts.map(({ index, cause }) => ({ index: numbered[index]?.index as number, cause }));
      return [writes, new WriteConflicts(renumbered)] as const;
    });
    throw new GroupConflicts(new Map(own));
  }
}

/** Returns the change of the trash when these targets are written: revived notes leave it. */
function outOfTrash(targets: readonly WriteTarget[]): TrashContents {
  const revived = targets.flatMap((target) => (target.kind === 'tombstone' ? [target.note.size_bytes] : []));
  const textBytes = -revived.reduce((sum, bytes) => sum + bytes, 0);
  return { notes: -revived.length, textBytes, attachmentBytes: 0 };
}
