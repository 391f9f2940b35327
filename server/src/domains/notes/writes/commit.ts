import { aliasKey } from '@notevault/note-text/links/resolve.ts';
import { folderOf } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq } from '@notevault/protocol/ids.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { PathOwner, WriteContext } from '../../entries/entries.ts';
import { RevisionConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault, TrashContents } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import type { OpenedNote, toNote } from '../notes.mapper.ts';
import * as store from '../notes.store.ts';
import type { NoteRowDraft } from './build-note-row.ts';
import { nameKeysOf } from './name-keys.ts';
import { lastVersionOf, type WriteTarget } from './write-target.ts';
import type { WrittenNote } from './written-note.ts';

/** The plan of a note's write: new rows, or none if the text is unchanged. */
export type WritePlan =
  | {
      readonly kind: 'write';
      readonly target: WriteTarget;
      readonly next: NoteRowDraft;
      readonly fingerprints?: FingerprintsChange;
    }
  | { readonly kind: 'same'; readonly note: OpenedNote; readonly fingerprints?: FingerprintsChange };

/** The note's new fingerprints; they replace those that were read. */
export interface FingerprintsChange {
  readonly was: Buffer | null;
  readonly now: Buffer;
}

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
  /** Works out a write against what is stored now. A NotevaultError refuses it. */
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

/** An entry that is not a note has the path. */
class PathTaken extends Error {
  readonly owner: PathOwner;
  constructor(owner: PathOwner) {
    super('the path is taken');
    this.owner = owner;
  }
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
 * have changed meanwhile. Throws `limit_exceeded`, and the errors of `refuse`.
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
  const mayYield = isLong(writes) || (await touchesManyLinks(deps, vault, writes));
  return deps.db.transact(
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
}

/** Returns the change of the trash when these targets are written: revived notes leave it. */
function outOfTrash(targets: readonly WriteTarget[]): TrashContents {
  const revived = targets.flatMap((target) => (target.kind === 'tombstone' ? [target.note.size_bytes] : []));
  const textBytes = -revived.reduce((sum, bytes) => sum + bytes, 0);
  return { notes: -revived.length, textBytes, attachmentBytes: 0 };
}

async function touchesManyLinks(
  { db, hooks }: NoteDeps,
  vault: OpenVault,
  writes: readonly Extract<WritePlan, { kind: 'write' }>[],
): Promise<boolean> {
  const keys = writes.flatMap(({ target, next }) => movedKeysOf(vault, target, next));
  return keys.length > 0 && (await hooks.hasManyLinksTo(db, vault, keys));
}

function isLong(writes: readonly Extract<WritePlan, { kind: 'write' }>[]): boolean {
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

/** A note whose rows are written; `written` is the input for its edges, null when nothing changed. */
interface WrittenRow {
  readonly index: number;
  readonly note: CommittedNote['note'];
  readonly written: WrittenNote | null;
}

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
  let seq = first - 1;
  for (const [index, plan] of plans) {
    if (plan.kind === 'write') seq += 1;
    const row = await writePlan(deps, handle, vault, plan, seq as Seq, plans.size > 1).catch(conflictOf);
    // The other plans are tried too, to find all conflicts at once; nothing of this is committed. Their failures are
    // less reliable, because the first one left its changes half done: these notes are prepared again.
    if ('note' in row) {
      rows.push({ index, note: row.note, written: row.written === null ? null : { ...row.written, mayYield } });
    } else conflicts.push({ index, cause: conflicts.length === 0 ? row.cause : null });
  }
  if (conflicts.length > 0) throw new WriteConflicts(conflicts);
  return rows;
}

async function writePlan(
  deps: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plan: WritePlan,
  seq: Seq,
  amongOthers: boolean,
): Promise<{ note: CommittedNote['note']; written: Omit<WrittenNote, 'mayYield'> | null }> {
  if (plan.kind === 'same') {
    if (!(await deps.entries.hasRevision(handle, vault.id, plan.note))) throw new RevisionConflict();
    if (plan.fingerprints !== undefined) await writeFingerprints(handle, vault, plan.note.id, plan.fingerprints);
    return { note: plan.note, written: null };
  }
  const { next } = plan;
  const target = amongOthers ? await amongNewFolders(deps, handle, vault, plan.target) : plan.target;
  await writeRows(deps, handle, vault, { ...plan, target }, seq);
  if (target.kind !== 'new') handle.onCommit(() => deps.live.changed(target.id));
  const fresh = target.kind !== 'live';
  const { id, path, version, derived } = next;
  const written = { id, path, version, seq, fresh, links: derived.links, movedKeys: movedKeysOf(vault, target, next) };
  return { note: noteOf(next, seq), written };
}

async function writeFingerprints(handle: WriteHandle, vault: OpenVault, id: string, { was, now }: FingerprintsChange) {
  const written = await handle.run(store.updateFingerprints, { vault: vault.id, id, fingerprints: now, was });
  if (written === 0) throw new RevisionConflict();
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
  for (const { index, note, written } of rows) {
    if (written === null || (together && written.fresh)) {
      done.set(index, { note, links: null, fresh: written?.fresh ?? false });
      continue;
    }
    const links = await hooks.written(handle, vault, written).catch(conflictOf);
    if ('cause' in links) conflicts.push({ index, cause: links.cause });
    else done.set(index, { note, links, fresh: written.fresh });
  }
  if (conflicts.length > 0) throw new WriteConflicts(conflicts);
  if (together) await hooks.writtenBatch(handle, vault, fresh);
  return done;
}

/** Resolves a new note's folders again: another note of the same transaction may have created them. */
async function amongNewFolders(
  deps: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  target: WriteTarget,
): Promise<WriteTarget> {
  const { resolved } = target;
  if (target.kind === 'live' || (resolved.nearest?.path ?? '') === folderOf(resolved.path)) return target;
  const now = await deps.entries.resolve(handle, vault, resolved.path, resolved.pathKey);
  if (now.blocked !== null) throw new PathTaken(now.blocked.owner);
  if (now.path !== resolved.path) throw new RevisionConflict();
  return { ...target, resolved: now };
}

async function writeRows(
  deps: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plan: Extract<WritePlan, { kind: 'write' }>,
  seq: Seq,
): Promise<void> {
  const { target, next, fingerprints } = plan;
  await writeEntry(deps, handle, vault, plan, seq);
  const body = { vault: vault.id, id: next.id, content: next.content, doc: next.doc };
  if (target.kind === 'new') {
    await handle.run(store.insertBody, { ...body, fingerprints: fingerprints?.now ?? null });
  } else {
    if (next.replaced !== null)
      await handle.run(store.insertVersion, { vault: vault.id, id: next.id, ...next.replaced });
    if (fingerprints === undefined) await handle.run(store.updateBody, body);
    else {
      const { was, now } = fingerprints;
      const update = { ...body, fingerprints: now, was };
      if ((await handle.run(store.updateBodyWithFingerprints, update)) === 0) throw new RevisionConflict();
    }
  }
  const had = target.kind === 'live' ? target.note.meta.aliases : [];
  if (had.join('\0') === next.meta.aliases.join('\0')) return;
  if (had.length > 0) await handle.run(store.deleteAliases, { vault: vault.id, id: next.id });
  const keys = new Map(next.meta.aliases.map((alias) => [aliasKey(alias), vault.key.blind('name', aliasKey(alias))]));
  await handle.runMany(store.insertAliases, { vault: vault.id, id: next.id }, [...keys.values()]);
}

/** Writes the note's row at its path. Throws PathTaken, RevisionConflict. */
async function writeEntry(
  { entries }: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { target, next }: Extract<WritePlan, { kind: 'write' }>,
  seq: Seq,
): Promise<void> {
  const entered =
    target.kind === 'live'
      ? { ok: true as const, folder: target.note.parent_id }
      : await entries.enter(handle, vault, target.resolved, 'note');
  if (!entered.ok) throw entered.owner === null ? new RevisionConflict() : new PathTaken(entered.owner);
  const row = {
    vault_id: vault.id,
    id: next.id,
    seq,
    revision: next.revision,
    version: next.version,
    parent_id: entered.folder,
    path_key: target.resolved.pathKey,
    name_key: next.nameKey,
    blob_id: null,
    size_bytes: next.size,
    mtime: next.mtime,
    updated_at: next.now,
    meta: next.sealedMeta,
  };
  const written = await (target.kind === 'new'
    ? entries.insert(handle, { ...row, kind: 'note', created_at: next.createdAt }, target.tombstoneVersion)
    : target.kind === 'live'
      ? entries.update(handle, { ...row, was: target.note.revision })
      : entries.revive(handle, { ...row, was: target.note.revision }, lastVersionOf(target)));
  if (written) return;
  const owner = target.kind === 'live' ? null : await entries.ownerOf(handle, vault, target.resolved.path);
  // A note created there meanwhile is edited by the next attempt; any other entry keeps the path.
  throw owner === null || owner.kind === 'note' ? new RevisionConflict() : new PathTaken(owner);
}

/** Returns the name keys under which the note is newly found, and those under which it no longer is. */
function movedKeysOf(vault: OpenVault, target: WriteTarget, next: NoteRowDraft): Buffer[] {
  const now = nameKeysOf(vault, next.meta);
  if (target.kind !== 'live') return now;
  const before = nameKeysOf(vault, target.note.meta);
  const hex = (keys: Buffer[]) => new Set(keys.map((key) => key.toString('hex')));
  const [had, has] = [hex(before), hex(now)];
  return [
    ...before.filter((key) => !has.has(key.toString('hex'))),
    ...now.filter((key) => !had.has(key.toString('hex'))),
  ];
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
