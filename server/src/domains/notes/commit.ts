import { folderOf } from '@notevault/note-text/paths.ts';
import { aliasKey } from '@notevault/note-text/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { Holder } from '../tree/tree.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type Basis, conflictWithHolder } from './basis.ts';
import { nameKeysOf } from './name-keys.ts';
import type { NoteLink } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing, WrittenNote } from './parts.ts';
import type { Prepared } from './prepare.ts';
import type { OpenedNote, toNote } from './view.ts';

/** What a write was prepared from has changed: prepare it again. */
export class Stale extends Error {
  override readonly name = 'Stale';
}

/** What a write of a note comes to: new rows, or nothing where the text stays what it is. */
export type Plan =
  | {
      readonly kind: 'write';
      readonly basis: Basis;
      readonly next: Prepared;
      readonly fingerprints?: FingerprintsChange;
    }
  | { readonly kind: 'same'; readonly note: OpenedNote; readonly fingerprints?: FingerprintsChange };

/** The fingerprints that a note gets, over those that it had when they were read. */
export interface FingerprintsChange {
  readonly was: Buffer | null;
  readonly now: Buffer;
}

/** A note as it is after its transaction. */
export interface Committed {
  readonly note: Parameters<typeof toNote>[0];
  /** Its edges; null where they were not looked at: nothing was written, or many notes at once. */
  readonly links: NoteLink[] | null;
  /** Whether the note was not live before. */
  readonly fresh: boolean;
}

/** Some notes to write in one transaction; each stands under its index. */
export interface Work<Result> {
  /** Works out a write against what is stored now. A NotevaultError refuses it. */
  plan(index: number): Promise<Plan>;
  /** The note cannot be written: throws to give up the whole, or takes note of it while the others go on. */
  refuse(index: number, error: NotevaultError): void;
  /** The answer, made inside the transaction, with what was written. */
  answer(handle: WriteHandle, done: ReadonlyMap<number, Committed>): Promise<Result>;
}

/** Why one of several notes could not be written: it is out of date (null), its path is held, or it is damaged. */
interface Fault {
  readonly index: number;
  readonly because: null | Holder | NotevaultError;
}

/** A path is held by something that is no note. */
class Taken extends Error {
  readonly holder: Holder;
  constructor(holder: Holder) {
    super('the path is taken');
    this.holder = holder;
  }
}

/** Found out inside the transaction, mended outside it. */
class Unfit extends Error {
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super('not everything can be written as it was prepared');
    this.faults = faults;
  }
}

/** More writes than this take the writer for themselves, in slices, so that reads are not held up. */
const SHORT_MAX = 20;
/** As many links do. */
const MANY_LINKS = 500;
/** Each round but the last meets a writer that was faster; more in a row than this is a fault, not bad luck. */
const ROUNDS_MAX = 50;

/**
 * Reads and prepares outside the transaction, commits against what was read, and starts over with those notes that
 * changed meanwhile. Throws `limit_exceeded`, and what `refuse` throws.
 */
export async function writeNotes<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  count: number,
  work: Work<Result>,
): Promise<Result> {
  const plans = new Map<number, Plan>();
  const yieldIfDue = createYield();
  let unplanned = Array.from({ length: count }, (_, index) => index);
  for (let round = 1; ; round++) {
    for (const index of unplanned) {
      await yieldIfDue();
      const plan = await settled(work.plan(index));
      if (plan instanceof NotevaultError) work.refuse(index, plan);
      else plans.set(index, plan);
    }
    try {
      return await commitPlans(parts, writing, plans, work);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
      unplanned = [];
      for (const { index, because } of error.faults) {
        if (because === null) unplanned.push(index);
        else work.refuse(index, await refusalOf(parts, writing, plans.get(index), because));
        plans.delete(index);
      }
    }
  }
}

function settled(planning: Promise<Plan>): Promise<Plan | NotevaultError> {
  return planning.catch((error) => {
    if (error instanceof NotevaultError) return error;
    throw error;
  });
}

async function refusalOf(
  parts: NoteParts,
  { vault }: Writing,
  plan: Plan | undefined,
  because: Holder | NotevaultError,
) {
  if (because instanceof NotevaultError) return because;
  return conflictWithHolder(parts, vault, because, plan?.kind === 'write' ? plan.next.path : '');
}

/** One transaction: each row if it still bears the stamp it was prepared from, the version written over, name, aliases and edges. */
async function commitPlans<Result>(
  parts: NoteParts,
  writing: Writing<Result>,
  plans: ReadonlyMap<number, Plan>,
  work: Work<Result>,
): Promise<Result> {
  const { vault } = writing;
  const writes = [...plans.values()].filter((plan) => plan.kind === 'write');
  const fresh = writes.filter(({ basis }) => basis.kind !== 'live').length;
  const mayYield = isLong(writes) || (await touchesManyLinks(parts, vault, writes));
  return parts.db.transact(
    async (handle) => {
      const first =
        writes.length === 0 ? 0 : await parts.vaults.advance(handle, vault, { seqs: writes.length, notes: fresh });
      const rows = await writeAllRows(parts, handle, vault, plans, first as Seq, mayYield);
      const done = await linkAll(parts, handle, vault, rows);
      const result = await work.answer(handle, done);
      await writing.finish?.(handle, result);
      return result;
    },
    mayYield ? 'long' : 'short',
  );
}

async function touchesManyLinks(
  { db, hooks }: NoteParts,
  vault: OpenVault,
  writes: readonly Extract<Plan, { kind: 'write' }>[],
): Promise<boolean> {
  const keys = writes.flatMap(({ basis, next }) => movedKeysOf(vault, basis, next));
  return keys.length > 0 && (await hooks.hasManyLinksTo(db, vault, keys));
}

function isLong(writes: readonly Extract<Plan, { kind: 'write' }>[]): boolean {
  const links = writes.reduce((sum, { next }) => sum + next.derived.links.length, 0);
  return writes.length > SHORT_MAX || links > MANY_LINKS;
}

/** Says what is wrong with one note alone; anything else ends the transaction. */
function faultOf(error: unknown): Pick<Fault, 'because'> {
  if (error instanceof Stale) return { because: null };
  if (error instanceof Taken) return { because: error.holder };
  if (error instanceof NotevaultError) return { because: error };
  throw error;
}

/** A note whose rows are written; `written` is what its edges need, null where nothing changed. */
interface WrittenRow {
  readonly index: number;
  readonly note: Committed['note'];
  readonly written: WrittenNote | null;
}

/** Writes the rows of all plans, or throws Unfit with all that are out of date. */
async function writeAllRows(
  parts: NoteParts,
  handle: WriteHandle,
  vault: OpenVault,
  plans: ReadonlyMap<number, Plan>,
  first: Seq,
  mayYield: boolean,
): Promise<WrittenRow[]> {
  const rows: WrittenRow[] = [];
  const faults: Fault[] = [];
  let seq = first - 1;
  for (const [index, plan] of plans) {
    if (plan.kind === 'write') seq += 1;
    const row = await writePlan(parts, handle, vault, plan, seq as Seq, plans.size > 1).catch(faultOf);
    // The others are tried too, to find out at once what else has changed; nothing of it is kept. What they say is
    // less sure, for they meet what the first left half done: they are prepared again.
    if ('note' in row) {
      rows.push({ index, note: row.note, written: row.written === null ? null : { ...row.written, mayYield } });
    } else faults.push({ index, because: faults.length === 0 ? row.because : null });
  }
  if (faults.length > 0) throw new Unfit(faults);
  return rows;
}

async function writePlan(
  parts: NoteParts,
  handle: WriteHandle,
  vault: OpenVault,
  plan: Plan,
  seq: Seq,
  amongOthers: boolean,
): Promise<{ note: Committed['note']; written: Omit<WrittenNote, 'mayYield'> | null }> {
  if (plan.kind === 'same') {
    const row = await handle.get(store.findStamp, { vault: vault.id, id: plan.note.id as NoteId });
    if (row?.stamp !== plan.note.stamp) throw new Stale();
    if (plan.fingerprints !== undefined) await writeFingerprints(handle, vault, plan.note.id, plan.fingerprints);
    return { note: plan.note, written: null };
  }
  const { next } = plan;
  const basis = amongOthers ? await amongNewFolders(parts, handle, vault, plan.basis) : plan.basis;
  await writeRows(parts, handle, vault, { ...plan, basis }, seq);
  if (basis.kind !== 'new') handle.onCommit(() => parts.live.changed(basis.id));
  const fresh = basis.kind !== 'live';
  const { id, path, version, derived } = next;
  const written = { id, path, version, seq, fresh, links: derived.links, movedKeys: movedKeysOf(vault, basis, next) };
  return { note: noteOf(next, seq), written };
}

async function writeFingerprints(handle: WriteHandle, vault: OpenVault, id: string, { was, now }: FingerprintsChange) {
  const written = await handle.run(store.updateFingerprints, { vault: vault.id, id, fingerprints: now, was });
  if (written === 0) throw new Stale();
}

/** Writes the edges. Several new notes are linked at once, when all of them can be found. */
async function linkAll(
  { hooks }: NoteParts,
  handle: WriteHandle,
  vault: OpenVault,
  rows: readonly WrittenRow[],
): Promise<Map<number, Committed>> {
  const done = new Map<number, Committed>();
  const fresh = rows.flatMap(({ written }) => (written?.fresh ? [written] : []));
  const together = fresh.length > 1;
  const faults: Fault[] = [];
  for (const { index, note, written } of rows) {
    if (written === null || (together && written.fresh)) {
      done.set(index, { note, links: null, fresh: written?.fresh ?? false });
      continue;
    }
    const links = await hooks.written(handle, vault, written).catch(faultOf);
    if ('because' in links) faults.push({ index, because: links.because });
    else done.set(index, { note, links, fresh: written.fresh });
  }
  if (faults.length > 0) throw new Unfit(faults);
  if (together) await hooks.writtenTogether(handle, vault, fresh);
  return done;
}

/** The folders a new note was to make may have been made by another note of the same transaction. */
async function amongNewFolders(parts: NoteParts, handle: WriteHandle, vault: OpenVault, basis: Basis): Promise<Basis> {
  const { spot } = basis;
  if (basis.kind === 'live' || (spot.anchor?.path ?? '') === folderOf(spot.path)) return basis;
  const now = await parts.tree.spot(handle, vault, spot.path, spot.pathKey);
  if (now.blocked !== null) throw new Taken(now.blocked.holder);
  if (now.path !== spot.path) throw new Stale();
  return { ...basis, spot: now };
}

async function writeRows(
  { tree }: NoteParts,
  handle: WriteHandle,
  vault: OpenVault,
  { basis, next, fingerprints }: Extract<Plan, { kind: 'write' }>,
  seq: Seq,
): Promise<void> {
  let folder = basis.kind === 'live' ? basis.note.folder_id : null;
  if (basis.kind !== 'live') {
    const claimed = await tree.claim(handle, vault, basis.spot, 'note', next.id);
    // A note that came to be there meanwhile is what the next round edits; anything else has the path for good.
    if (!claimed.ok)
      throw claimed.holder === null || claimed.holder.kind === 'note' ? new Stale() : new Taken(claimed.holder);
    folder = claimed.folder;
  }
  const row = {
    ...{ vault_id: vault.id, id: next.id, seq, stamp: next.stamp, version: next.version },
    ...{
      folder_id: folder,
      path_key: basis.spot.pathKey,
      name_key: next.nameKey,
      size_bytes: next.size,
      mtime: next.mtime,
    },
    ...{ created_at: next.createdAt, updated_at: next.now, meta: next.sealedMeta },
  };
  const body = { vault: vault.id, id: next.id, content: next.content, doc: next.doc };
  if (basis.kind === 'new') {
    const { tombstoneVersion } = basis;
    if ((await handle.run(store.insertNote, { ...row, tombstoneVersion })) === 0) throw new Stale();
    await handle.run(store.insertBody, { ...body, fingerprints: fingerprints?.now ?? null });
  } else {
    if ((await handle.run(store.updateNote, { ...row, was: basis.note.stamp })) === 0) throw new Stale();
    if (next.kept !== null) await handle.run(store.insertVersion, { vault: vault.id, id: next.id, ...next.kept });
    if (fingerprints === undefined) await handle.run(store.updateBody, body);
    else {
      const { was, now } = fingerprints;
      const update = { ...body, fingerprints: now, was };
      if ((await handle.run(store.updateBodyWithFingerprints, update)) === 0) throw new Stale();
    }
  }
  const had = basis.kind === 'live' ? basis.note.meta.aliases : [];
  if (had.join('\0') === next.meta.aliases.join('\0')) return;
  if (had.length > 0) await handle.run(store.deleteAliases, { vault: vault.id, id: next.id });
  const keys = new Map(next.meta.aliases.map((alias) => [aliasKey(alias), vault.key.blind('name', aliasKey(alias))]));
  await handle.runIn(store.insertAliases, { vault: vault.id, id: next.id }, [...keys.values()]);
}

/** The name keys under which the note is found now and was not before, or the other way round. */
function movedKeysOf(vault: OpenVault, basis: Basis, next: Prepared): Buffer[] {
  const now = nameKeysOf(vault, next.meta);
  if (basis.kind !== 'live') return now;
  const before = nameKeysOf(vault, basis.note.meta);
  const hex = (keys: Buffer[]) => new Set(keys.map((key) => key.toString('hex')));
  const [had, has] = [hex(before), hex(now)];
  return [
    ...before.filter((key) => !has.has(key.toString('hex'))),
    ...now.filter((key) => !had.has(key.toString('hex'))),
  ];
}

function noteOf(next: Prepared, seq: Seq) {
  return {
    ...{ id: next.id, seq, version: next.version, mtime: next.mtime, meta: next.meta, content: next.text },
    ...{ size_bytes: next.size, created_at: next.createdAt, updated_at: next.now },
  };
}
