import { createHash } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import { parseUuid } from '@notevault/protocol/ids.ts';
import type { UpsertNote } from '@notevault/protocol/notes.ts';
import type { ResolvedPath, WriteContext } from '../entries/entries.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type OpenedNote, openNote } from './note-mapper.ts';
import type { NoteDeps } from './notes.deps.ts';
import * as store from './notes.store.ts';
import { sealed } from './sealed-note.ts';

/** How long a deletion wins over the same note coming back from a device that has not heard of it. */
const DELETE_WINS_MS = 60_000;

/** The nil UUID: no note's id. */
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** A note to write, its path normalised and blinded. */
export interface NoteInput extends UpsertNote {
  readonly pathKey: Buffer;
}

/** What a write starts from: nothing, the live note at the path, or the tombstone its id names. */
export type WriteTarget =
  | {
      readonly kind: 'new';
      readonly id: NoteId;
      readonly resolved: ResolvedPath;
      /** The highest version of the tombstones at the path, 0 when there is none: the new note's versions follow it. */
      readonly tombstoneVersion: number;
    }
  | {
      readonly kind: 'live' | 'tombstone';
      readonly id: NoteId;
      readonly resolved: ResolvedPath;
      readonly note: StoredNoteContent;
      /** The document, still sealed; null for one that is still its seed. */
      readonly doc: Buffer | null;
      /** Of the writes that named a version; looked up for upserts alone. */
      readonly fingerprints?: Buffer | null;
      /** As of a new note, for a tombstone that comes back: another note may have been at the path since. */
      readonly tombstoneVersion?: number;
    };

/**
 * The version that the next one follows. Versions go on at a path where tombstones are, so that a version that a client
 * sends with the path alone never means another note's.
 */
export function lastVersionOf(target: WriteTarget): number {
  if (target.kind === 'new') return target.tombstoneVersion;
  return Math.max(target.note.version, target.tombstoneVersion ?? 0);
}

/** A note with its stored, sealed content beside the open one. */
export type StoredNoteContent = OpenedNote & { readonly sealedContent: Buffer };

/** Looks up what an upsert meets. Throws `conflict` where the path or the id belongs to something else. */
export async function findWriteTarget(
  deps: NoteDeps,
  context: WriteContext,
  input: NoteInput,
  text: string | undefined,
): Promise<WriteTarget> {
  const { vault, device } = context;
  const { path, pathKey } = input;
  const requestedId = parseUuid(input.id) as NoteId | null;
  const rows = await deps.db.all(store.findForWrite, {
    ...{ vault: vault.id, pathKey, id: requestedId ?? NIL_ID },
    since: device === null ? Number.MAX_SAFE_INTEGER : deps.clock.now() - DELETE_WINS_MS,
  });
  const here = rows.find((row) => row.found === 'here');
  const owner = rows.find((row) => row.found === 'id');
  if (here !== undefined) {
    // Where the path is another note's, its id says that the writer means the other one.
    if (owner !== undefined && owner.id !== here.id && isLiveIn(vault, owner)) {
      throw await deps.entries.conflictWith(vault, { kind: 'note', id: owner.id }, path);
    }
    const note = storedNote(vault, here);
    // The stored spelling stays: writing `A.md` over `a.md` is an edit, not a rename.
    const resolved = { path: note.meta.path, pathKey, nearest: null, blocked: null };
    return { kind: 'live', id: here.id as NoteId, resolved, note, doc: here.doc, fingerprints: here.fingerprints };
  }
  refuseRecentlyDeleted(
    context,
    rows.filter((row) => row.found === 'recent'),
    text ?? '',
  );
  const resolved = await deps.entries.resolve(deps.db, vault, path, pathKey);
  if (resolved.blocked !== null)
    throw await deps.entries.conflictWith(vault, resolved.blocked.owner, resolved.blocked.path);
  const tombstoneVersion = rows.find((row) => row.found === 'highest')?.version ?? 0;
  const revived = owner === undefined ? null : await targetOfOwner(deps, context, resolved, owner);
  if (revived !== null) return { ...revived, tombstoneVersion };
  // No answer may tell whose an id is or was, so a taken or spent one is treated as if none had been sent.
  const isFree = owner === undefined && rows.every((row) => row.found !== 'spent');
  const id = requestedId !== null && isFree ? requestedId : newId(deps);
  return { kind: 'new', id, resolved, tombstoneVersion };
}

type FoundRow = store.FoundRow;

function storedNote(vault: OpenVault, row: store.StoredRow & { readonly content: Buffer | null }): StoredNoteContent {
  if (row.content === null) throw new NotevaultError('note_unreadable');
  return { ...openNote(vault, { ...row, content: row.content }), sealedContent: row.content };
}

function isLiveIn(vault: OpenVault, row: FoundRow): boolean {
  return row.kind === 'note' && row.vault_id === vault.id && row.deleted_at === null;
}

/** This vault's tombstone of a note that the writer's id names; null when anything else has the id. Throws `conflict`. */
async function targetOfOwner(
  deps: NoteDeps,
  { vault }: WriteContext,
  resolved: ResolvedPath,
  owner: FoundRow,
): Promise<WriteTarget | null> {
  const id = owner.id as NoteId;
  if (owner.kind !== 'note' || owner.vault_id !== vault.id) return null;
  if (isLiveIn(vault, owner)) throw await deps.entries.conflictWith(vault, { kind: 'note', id }, resolved.path);
  const row = await deps.db.get(store.findForRevival, { vault: vault.id, id });
  if (row === undefined) return null;
  return {
    kind: 'tombstone',
    id,
    resolved,
    note: storedNote(vault, row),
    doc: row.doc,
    fingerprints: row.fingerprints,
  };
}

function refuseRecentlyDeleted({ vault, device }: WriteContext, tombstones: readonly FoundRow[], text: string): void {
  for (const row of tombstones) {
    const meta = sealed.openMeta(vault, row.id, row.revision, row.meta);
    const same = meta.hash === createHash('sha256').update(text, 'utf8').digest('hex');
    if (same && meta.deletedBy !== device) {
      throw new NotevaultError('conflict', { reason: 'recently_deleted', server_note: null });
    }
  }
}

function newId({ clock }: NoteDeps): NoteId {
  return clock.uuid() as NoteId;
}
