import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { PathOwner } from '../../entries/entries.ts';
import { RevisionConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { CommitDeps } from '../notes.deps.ts';
import type { toNote } from '../notes.mapper.ts';
import type { NoteRowDraft } from './build-note-row.ts';
import { movedKeysOf } from './name-keys.ts';
import type { WritePlan } from './write-plan.ts';
import { NewFolders, PathTaken, writeFingerprints, writeRows } from './write-rows.ts';
import type { WrittenNote } from './written-note.ts';

/** A note after its transaction. */
export interface CommittedNote {
  readonly note: Parameters<typeof toNote>[0];
  /** Its edges; null if nothing was written, so that they were not read. */
  readonly links: NoteLink[] | null;
  /** Whether the note was created or revived. */
  readonly fresh: boolean;
}

/** Why one of several notes could not be written: its row has changed (null), its path is taken, or it is damaged. */
export interface WriteConflict {
  readonly index: number;
  readonly cause: null | PathOwner | NotevaultError;
}

/** Thrown inside the transaction and handled outside it. */
export class WriteConflicts extends Error {
  readonly conflicts: readonly WriteConflict[];
  constructor(conflicts: readonly WriteConflict[]) {
    super('not everything can be written as it was prepared');
    this.conflicts = conflicts;
  }
}

/**
 * Writes each row if it still has the revision from which it was prepared, with the replaced version, name, aliases and
 * edges; resolves to the notes by the index of their plan. Throws WriteConflicts with all plans that conflict.
 *
 * @param first the seq of the first row; the others follow it in the order of the plans.
 */
export async function writePlans(
  deps: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plans: ReadonlyMap<number, WritePlan>,
  first: Seq,
  bulk: boolean,
): Promise<Map<number, CommittedNote>> {
  return linkAll(deps, handle, vault, await writeAllRows(deps, handle, vault, plans, first, bulk));
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
  deps: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plans: ReadonlyMap<number, WritePlan>,
  first: Seq,
  bulk: boolean,
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
    sent.push(await sendPlan(deps, handle, vault, plan, { index, seq: seq as Seq, bulk, folders }));
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
  readonly bulk: boolean;
  /** Null for a single plan. */
  readonly folders: NewFolders | null;
}

/** Sends the statements of a plan; resolves when they are sent. */
async function sendPlan(
  deps: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  plan: WritePlan,
  { index, seq, bulk, folders }: PlanPosition,
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
  const { aliases, links } = derived;
  const written = { id, path, aliases, version, seq, fresh, links, movedKeys, bulk, rows };
  return { index, note: noteOf(next, seq), written, rows };
}

/** Marks a promise whose rejection is awaited later. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Checks a note that stays as it is, and adds the write's fingerprint. Throws RevisionConflict. */
async function keepSame(
  deps: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  { note, fingerprints }: Extract<WritePlan, { kind: 'same' }>,
): Promise<void> {
  if (!(await deps.entries.hasRevision(handle, vault.id, note))) throw new RevisionConflict();
  if (fingerprints !== undefined) await writeFingerprints(handle, vault, note.id, fingerprints);
}

/** Writes the edges: of several new notes at once, when all of them can be found. */
async function linkAll(
  { hooks }: CommitDeps,
  handle: WriteHandle,
  vault: OpenVault,
  rows: readonly WrittenRow[],
): Promise<Map<number, CommittedNote>> {
  const done = new Map<number, CommittedNote>();
  const conflicts: WriteConflict[] = [];
  const receive = async ({ index, note, written, rows: ofNote }: WrittenRow, linking: Promise<NoteLink[]> | null) => {
    const links = await ofNote.then(() => linking).catch(conflictOf);
    if (links !== null && 'cause' in links) conflicts.push({ index, cause: links.cause });
    else done.set(index, { note, links, fresh: written?.fresh ?? false });
  };
  // Begun before the rows are known to be written, because it reads first.
  const link = ({ written }: WrittenRow) => (written === null ? null : handled(hooks.written(handle, vault, written)));
  const fresh = rows.flatMap(({ written }) => (written?.fresh ? [written] : []));
  const together = fresh.length > 1;
  // Edits that move no names change no edges but their own, so they need not wait for each other.
  const apart = rows.filter(({ written }) => !written?.fresh && (written?.movedKeys.length ?? 0) === 0);
  const linking = apart.map((row) => [row, link(row)] as const);
  for (const [row, links] of linking) await receive(row, links);
  for (const row of rows) {
    if (!apart.includes(row) && !(together && row.written?.fresh)) await receive(row, link(row));
  }
  if (conflicts.length > 0) throw new WriteConflicts(conflicts);
  if (!together) return done;
  const linksBy = await hooks.writtenBatch(handle, vault, fresh);
  for (const { index, note, written } of rows) {
    if (written?.fresh) done.set(index, { note, links: linksBy.get(written.id) ?? [], fresh: true });
  }
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
