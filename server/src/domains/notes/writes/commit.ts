import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq } from '@notevault/protocol/ids.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { PathOwner, WriteContext } from '../../entries/entries.ts';
import { NeedsLongTransaction, RevisionConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault, TrashContents } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import type { toNote } from '../notes.mapper.ts';
import type { NoteRowDraft } from './build-note-row.ts';
import { movedKeysOf } from './name-keys.ts';
import type { RowWrite, WritePlan } from './write-plan.ts';
import { NewFolders, PathTaken, writeFingerprints, writeRows } from './write-rows.ts';
import type { WriteTarget } from './write-target.ts';
import type { WrittenNote } from './written-note.ts';

/** A note after its transaction. */
export interface CommittedNote {
  readonly note: Parameters<typeof toNote>[0];
  /** Its edges; null if they were not read because nothing, or many notes at once, were written. */
  readonly links: NoteLink[] | null;
  /** Whether the note was created or revived. */
  readonly fresh: boolean;
}

/** Notes to write in one transaction, each identified by its index. */
export interface WriteBatch<Result> {
  /** Plans a write from what is stored now; a NotevaultError rejects the note. */
  plan(index: number): Promise<WritePlan>;
  /**
   * Called for a note that cannot be written: throws to abort the batch, or records the failure while the others
   * continue.
   */
  reject(index: number, error: NotevaultError): void;
  /** Returns the result, inside the transaction, from what was written. */
  answer(handle: WriteHandle, done: ReadonlyMap<number, CommittedNote>): Promise<Result>;
}

/** Why one of several notes could not be written: its row has changed (null), its path is taken, or it is damaged. */
interface WriteConflict {
  readonly index: number;
  readonly cause: null | PathOwner | NotevaultError;
}

/** Thrown inside the transaction and handled outside it. */
class WriteConflicts extends Error {
  readonly conflicts: readonly WriteConflict[];
  constructor(conflicts: readonly WriteConflict[]) {
    super('not everything can be written as it was prepared');
    this.conflicts = conflicts;
  }
}

/** A batch with more writes runs as a bulk transaction, in slices, so that reads are not held up. */
const SHORT_MAX = 20;
/** The same for the number of links. */
const MANY_LINKS = 500;
/**
 * Maximum number of attempts; each failed one lost against a faster writer, and more in a row than this are a fault.
 */
const ROUNDS_MAX = 50;

/**
 * Reads and prepares outside the transaction, commits if what was read is unchanged, and retries with the notes that
 * have changed meanwhile. Throws `limit_exceeded`, and the errors of `reject`.
 */
export async function writeNotes<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  count: number,
  batch: WriteBatch<Result>,
): Promise<Result> {
  const plans = new Map<number, WritePlan>();
  const yieldIfDue = createYield();
  let unplanned = Array.from({ length: count }, (_, index) => index);
  for (let round = 1; ; round++) {
    for (const index of unplanned) {
      await yieldIfDue();
      const plan = await planned(batch.plan(index));
      if (plan instanceof NotevaultError) batch.reject(index, plan);
      else plans.set(index, plan);
    }
    try {
      return await commitPlans(deps, context, plans, batch);
    } catch (error) {
      if (!(error instanceof WriteConflicts)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
      unplanned = [];
      for (const { index, cause } of error.conflicts) {
        if (cause === null) unplanned.push(index);
        else batch.reject(index, await rejectionOf(deps, context, plans.get(index), cause));
        plans.delete(index);
      }
    }
  }
}

function planned(planning: Promise<WritePlan>): Promise<WritePlan | NotevaultError> {
  return planning.catch((error) => {
    if (error instanceof NotevaultError) return error;
    throw error;
  });
}

async function rejectionOf(
  deps: NoteDeps,
  { vault }: WriteContext,
  plan: WritePlan | undefined,
  cause: PathOwner | NotevaultError,
) {
  if (cause instanceof NotevaultError) return cause;
  return deps.entries.conflictWith(vault, cause, plan?.kind === 'write' ? plan.next.path : '');
}

/**
 * Runs one transaction: writes each row if it still has the revision from which it was prepared, with the replaced
 * version, name, aliases and edges.
 */
async function commitPlans<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  plans: ReadonlyMap<number, WritePlan>,
  batch: WriteBatch<Result>,
): Promise<Result> {
  const { vault } = context;
  const writes = [...plans.values()].filter((plan) => plan.kind === 'write');
  const fresh = writes.filter(({ target }) => target.kind !== 'live').length;
  const trash = outOfTrash(writes.map(({ target }) => target));
  const commit = (mayYield: boolean) =>
    deps.db.transact(
      async (handle) => {
        const first =
          writes.length === 0
            ? 0
            : await deps.vaults.advance(handle, vault, { seqs: writes.length, notes: fresh, trash });
        const rows = await writeAllRows(deps, handle, vault, plans, first as Seq, mayYield);
        const done = await linkAll(deps, handle, vault, rows);
        const result = await batch.answer(handle, done);
        await context.inTransaction?.(handle, result);
        return result;
      },
      mayYield ? 'bulk' : 'normal',
    );
  if (isLong(writes)) return commit(true);
  // A name with thousands of links to it is found only by looking, and rarely.
  return commit(false).catch((error) => {
    if (error instanceof NeedsLongTransaction) return commit(true);
    throw error;
  });
}

/** Returns the change of the trash when these targets are written: revived notes leave it. */
function outOfTrash(targets: readonly WriteTarget[]): TrashContents {
  const revived = targets.flatMap((target) => (target.kind === 'tombstone' ? [target.note.size_bytes] : []));
  const textBytes = -revived.reduce((sum, bytes) => sum + bytes, 0);
  return { notes: -revived.length, textBytes, attachmentBytes: 0 };
}

function isLong(writes: readonly RowWrite[]): boolean {
  const links = writes.reduce((sum, { next }) => sum + next.derived.links.length, 0);
  return writes.length > SHORT_MAX || links > MANY_LINKS;
}

/** Returns the failure of one note; rethrows any other error, which ends the transaction. */
function conflictOf(error: unknown): Pick<WriteConflict, 'cause'> {
  if (error instanceof RevisionConflict) return { cause: null };
  if (error instanceof PathTaken) return { cause: error.owner };
  if (error instanceof NotevaultError) return { cause: error };
  throw error;
}

/** A note whose rows are being written; `written` is the input for its edges, null when nothing changed. */
interface WrittenRow {
  readonly index: number;
  readonly note: CommittedNote['note'];
  readonly written: WrittenNote | null;
  /** Resolves when the rows are written; rejects if they cannot be. */
  readonly rows: Promise<unknown>;
}

/** Notes whose rows are sent to the database before the first of them is waited for. */
const SENT_TOGETHER = 8;

/** Writes the rows of all plans, or throws with all plans that conflict. */
async function writeAllRows(
  deps: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plans: ReadonlyMap<number, WritePlan>,
  first: Seq,
  mayYield: boolean,
): Promise<WrittenRow[]> {
  const rows: WrittenRow[] = [];
  const conflicts: WriteConflict[] = [];
  const receive = async (sent: readonly WrittenRow[]) => {
    for (const row of sent) {
      const conflict = await row.rows.then(() => null, conflictOf);
      if (conflict === null) rows.push(row);
      // The other plans are tried too, to find all conflicts at once; nothing of this is committed. Their failures are
      // less reliable, because the first one left its changes half done: these notes are prepared again.
      else conflicts.push({ index: row.index, cause: conflicts.length === 0 ? conflict.cause : null });
    }
  };
  const folders = plans.size > 1 ? new NewFolders(deps, handle, vault) : null;
  const sent: WrittenRow[] = [];
  let seq = first - 1;
  for (const [index, plan] of plans) {
    if (plan.kind === 'write') seq += 1;
    sent.push(await sendPlan(deps, handle, vault, plan, { index, seq: seq as Seq, mayYield, folders }));
    if (sent.length === SENT_TOGETHER) await receive(sent.splice(0));
  }
  // The rows of a single note are waited for with its edges.
  if (folders === null) return sent;
  await receive(sent);
  if (conflicts.length > 0) throw new WriteConflicts(conflicts);
  return rows;
}

interface PlanPosition {
  readonly index: number;
  readonly seq: Seq;
  readonly mayYield: boolean;
  /** Null for a single plan. */
  readonly folders: NewFolders | null;
}

/** Sends the statements of a plan; resolves when they are sent. */
async function sendPlan(
  deps: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plan: WritePlan,
  { index, seq, mayYield, folders }: PlanPosition,
): Promise<WrittenRow> {
  if (plan.kind === 'same') {
    return { index, note: plan.note, written: null, rows: handled(keepSame(deps, handle, vault, plan)) };
  }
  const { next } = plan;
  const found =
    folders === null ? plan.target : await folders.targetOf(plan.target).catch((error: unknown) => ({ error }));
  const target = 'error' in found ? plan.target : found;
  const rows = handled(
    'error' in found ? Promise.reject(found.error) : writeRows(deps, handle, vault, { ...plan, target }, seq),
  );
  if (target.kind !== 'new') handle.onCommit(() => deps.live.changed(target.id));
  const fresh = target.kind !== 'live';
  const { id, path, version, derived } = next;
  const movedKeys = movedKeysOf(vault, target, next);
  const written = { id, path, version, seq, fresh, links: derived.links, movedKeys, mayYield, rows };
  return { index, note: noteOf(next, seq), written, rows };
}

/** Marks a promise whose rejection is awaited later. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Checks a note that stays as it is, and adds the write's fingerprint. Throws RevisionConflict. */
async function keepSame(
  deps: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { note, fingerprints }: Extract<WritePlan, { kind: 'same' }>,
): Promise<void> {
  if (!(await deps.entries.hasRevision(handle, vault.id, note))) throw new RevisionConflict();
  if (fingerprints !== undefined) await writeFingerprints(handle, vault, note.id, fingerprints);
}

/** Writes the edges. Several new notes are linked at once when all of them can be found. */
async function linkAll(
  { hooks }: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  rows: readonly WrittenRow[],
): Promise<Map<number, CommittedNote>> {
  const done = new Map<number, CommittedNote>();
  const fresh = rows.flatMap(({ written }) => (written?.fresh ? [written] : []));
  const together = fresh.length > 1;
  const conflicts: WriteConflict[] = [];
  for (const { index, note, written, rows: ofNote } of rows) {
    const isLater = written === null || (together && written.fresh);
    // Begun before the rows are known to be written, because it reads first.
    const linking = isLater ? null : handled(hooks.written(handle, vault, written));
    const links = await ofNote.then(() => linking).catch(conflictOf);
    if (links !== null && 'cause' in links) conflicts.push({ index, cause: links.cause });
    else done.set(index, { note, links, fresh: written?.fresh ?? false });
  }
  if (conflicts.length > 0) throw new WriteConflicts(conflicts);
  if (together) await hooks.writtenBatch(handle, vault, fresh);
  return done;
}

function noteOf(next: NoteRowDraft, seq: Seq) {
  return {
    id: next.id,
    seq,
    version: next.version,
    mtime: next.mtime,
    meta: next.meta,
    content: next.text,
    size_bytes: next.size,
    created_at: next.createdAt,
    updated_at: next.now,
  };
}
