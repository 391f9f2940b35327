import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Note, NoteVersion } from '@notevault/protocol/notes.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../../ports/database/database.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { type OpenedNote, openNote, toNote, toVersion } from '../notes.mapper.ts';
import * as notesStore from '../notes.store.ts';
import { deleteVersion } from '../notes.store.ts';
import { KEEP_ALL_MS, sealed } from '../sealed-note.ts';
import { derivedMeta } from '../writes/build-note-row.ts';
import { deriveOnPool } from '../writes/offload/task-transfer.ts';
import { planText, writeOne } from '../writes/upsert.ts';
import { storedNote, targetOf, type WritePlan } from '../writes/write-target.ts';
import * as store from './versions.store.ts';

const SLICE = 500;

// All of these throw `note_not_found`, `note_unreadable`.

/** Returns every readable version, newest first, beginning with the current one. */
export async function listVersions(
  { db, entries, vaults }: NoteDeps,
  vault: OpenVault,
  id: NoteId,
): Promise<NoteVersion[]> {
  const [row] = await entries.rowsById(db, vault.id, 'note', [id]);
  if (row === undefined || row.version === null) throw new NotevaultError('note_not_found');
  const meta = sealed.openMeta(vault, id, row.revision, row.meta);
  const current = { version: row.version, created_at: meta.versionAt, size_bytes: row.size_bytes };
  const versions = [toVersion(current, meta)];
  const yieldIfDue = createYield();
  for (let before = row.version; ; ) {
    const slice = await db.all(store.listVersions, { vault: vault.id, id, before, limit: SLICE });
    for (const kept of slice) {
      await yieldIfDue();
      versions.push(toVersion(kept, sealed.openVersion(vault, id, kept.version, kept.meta)));
      before = kept.version;
    }
    if (slice.length < SLICE) return vaults.withActors(vault, versions);
  }
}

/** Returns the version with the note's present path and its links resolved in the present vault. */
export async function readVersion(deps: NoteDeps, vault: OpenVault, id: NoteId, version: number): Promise<Note> {
  const { db, hooks } = deps;
  const found = await db.read(async (handle) => {
    const row = await handle.get(notesStore.findById, { vault: vault.id, id });
    if (row === undefined || row.deleted_at !== null) throw new NotevaultError('note_not_found');
    const note = openNote(vault, row);
    if (version === note.version) return { current: toNote(note, await hooks.linksOf(handle, vault, id)) };
    const kept = await handle.get(notesStore.findVersion, { vault_id: vault.id, note_id: id, version });
    if (kept === undefined) throw new NotevaultError('note_not_found');
    return { current: null, note, kept };
  });
  if (found.current !== null) return found.current;
  const { note, kept } = found;
  const { path } = note.meta;
  const text = sealed.openContent(vault, id, version, kept.content);
  const { hash } = sealed.openVersion(vault, id, version, kept.meta);
  const derived = await deriveOnPool(deps, vault, path, text);
  const meta = { ...note.meta, ...derivedMeta(derived), hash };
  const links = await db.read((handle) => hooks.linksFrom(handle, vault, { id, path, links: derived.links }));
  const { created_at: madeAt } = kept;
  return toNote({ ...note, version, meta, content: text, updated_at: madeAt, mtime: madeAt / 1000 }, links);
}

/** Makes a new version with the text of an older one; does nothing when the texts are equal. */
export function restoreVersion(deps: NoteDeps, context: WriteContext<Note>, id: NoteId, version: number) {
  const { db, clock } = deps;
  const { vault } = context;
  const plan = async (): Promise<WritePlan> => {
    const row = await db.get(notesStore.findNoteState, { vault: vault.id, id });
    if (row === undefined || row.deleted_at !== null) throw new NotevaultError('note_not_found');
    const note = storedNote(vault, row);
    const text = version === note.version ? note.content : await textOfVersion(deps, vault, note, version);
    if (text === note.content) return { kind: 'unchanged', note };
    const target = targetOf('live', { note, doc: row.doc });
    return planText(deps, context, target, { mtime: clock.now() / 1000 }, text, 'restore');
  };
  return deps.entries.lock.run(vault.id, id, () => writeOne(deps, context, plan, (note) => note));
}

async function textOfVersion({ db }: NoteDeps, vault: OpenVault, note: OpenedNote, version: number): Promise<string> {
  const id = note.id as NoteId;
  const issued = version > 0 && version < note.version;
  const kept = issued ? await db.get(notesStore.findVersion, { vault_id: vault.id, note_id: id, version }) : undefined;
  if (kept === undefined) throw new NotevaultError('note_not_found');
  return sealed.openContent(vault, id, version, kept.content);
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const DUE_SLICE = 200;
/** Maximum number of versions checked per run; the others wait for the next one. */
const RUN_MAX = 50_000;

export interface VersionRetention {
  /** One version per hour is kept until this age. */
  readonly hourlyDays: number;
  /** One version per day is kept until this age, then none. */
  readonly dailyDays: number;
}

type DueVersion = Awaited<ReturnType<typeof findDue>>[number];

/**
 * Thins old versions: keeps all for a day, then the last of each hour, then the last of each day, then none. Versions
 * replaced by a merge, restore, batch, link rewriting or agent are kept until the last day. Each version stores when to
 * check it next, so a run finds its work by an index and can be interrupted. Resolves to the number deleted.
 */
export async function thinVersions({ db, clock, retention }: NoteDeps): Promise<number> {
  const now = clock.now();
  const yieldIfDue = createYield();
  let deleted = 0;
  for (let seen = 0; seen < RUN_MAX; seen += DUE_SLICE) {
    const { due, gone } = await db.transact(async (handle) => {
      const due = await findDue(handle, now);
      let gone = 0;
      for (const version of due) gone += await applyRetention(handle, version, now, retention);
      return { due: due.length, gone };
    });
    deleted += gone;
    if (due < DUE_SLICE) break;
    await yieldIfDue();
  }
  return deleted;
}

function findDue(handle: WriteHandle, now: number) {
  return handle.all(store.findDueVersions, { now, limit: DUE_SLICE });
}

/** Deletes the version or stores when to check it next; resolves to the number deleted. */
async function applyRetention(
  handle: WriteHandle,
  { vault_id, note_id, version, created_at: madeAt, pinned }: DueVersion,
  now: number,
  { hourlyDays, dailyDays }: VersionRetention,
): Promise<number> {
  const which = { vault_id, note_id, version };
  const [hourlyUntil, dailyUntil] = [madeAt + hourlyDays * DAY_MS, madeAt + dailyDays * DAY_MS];
  if (now >= dailyUntil) return handle.run(deleteVersion, which);
  // The clock may have been set back since the version was made.
  if (now < madeAt + KEEP_ALL_MS) {
    await handle.run(store.postponeVersion, { ...which, dueAt: madeAt + KEEP_ALL_MS });
    return 0;
  }
  const hourly = now < hourlyUntil;
  const period = hourly ? HOUR_MS : DAY_MS;
  const until = (Math.floor(madeAt / period) + 1) * period;
  if (pinned === 0 && (await handle.get(store.findNewerVersion, { ...which, until })) !== undefined) {
    return handle.run(deleteVersion, which);
  }
  await handle.run(store.postponeVersion, { ...which, dueAt: hourly ? Math.min(hourlyUntil, dailyUntil) : dailyUntil });
  return 0;
}
