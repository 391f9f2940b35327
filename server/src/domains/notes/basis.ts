import { createHash } from 'node:crypto';
import { ancestorsOf } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import { parseUuid } from '@notevault/protocol/ids.ts';
import type { Holder, Spot } from '../tree/tree.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { sealed } from './meta.ts';
import type { UpsertNote } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';
import { type OpenedNote, openNote, toNote } from './view.ts';

/** How long a deletion wins over the same note coming back from a device that has not heard of it. */
const DELETE_WINS_MS = 60_000;

/** The nil UUID: no note's id. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** A note to write, its path normalised and blinded. */
export interface PlacedNote extends UpsertNote {
  readonly pathKey: Buffer;
}

/** What a write starts from: nothing, the live note at the path, or the tombstone its id names. */
export type Basis =
  | {
      readonly kind: 'new';
      readonly id: NoteId;
      readonly spot: Spot;
      /** The highest version of the tombstones at the path, 0 when there is none: the new note's versions follow it. */
      readonly tombstoneVersion: number;
    }
  | {
      readonly kind: 'live' | 'tombstone';
      readonly id: NoteId;
      readonly spot: Spot;
      readonly note: KeptNote;
      /** The document, still sealed; null for one that is still its seed. */
      readonly doc: Buffer | null;
      /** Of the writes that named a version; looked up for upserts alone. */
      readonly fingerprints?: Buffer | null;
    };

/** A note with its stored, sealed content beside the open one. */
export type KeptNote = OpenedNote & { readonly sealedContent: Buffer };

/** Looks up what an upsert meets. Throws `conflict` where the path or the id belongs to something else. */
export async function findBasis(
  parts: NoteParts,
  writing: Writing,
  input: PlacedNote,
  text: string | undefined,
): Promise<Basis> {
  const { vault, device } = writing;
  const { path, pathKey } = input;
  const asked = parseUuid(input.id) as NoteId | null;
  const rows = await parts.db.all(store.findForWrite, {
    ...{ vault: vault.id, pathKey, id: asked ?? NOBODY },
    since: device === null ? Number.MAX_SAFE_INTEGER : parts.clock.now() - DELETE_WINS_MS,
  });
  const here = rows.find((row) => row.found === 'here');
  const owner = rows.find((row) => row.found === 'id');
  if (here !== undefined) {
    // Where the path is another note's, its id says that the writer means the other one.
    if (owner !== undefined && owner.id !== here.id && isLiveIn(vault, owner)) {
      throw await conflictWithHolder(parts, vault, { kind: 'note', id: owner.id as NoteId }, path);
    }
    const note = keptNote(vault, here);
    // The stored spelling stays: writing `A.md` over `a.md` is an edit, not a rename.
    const spot = { path: note.meta.path, pathKey, anchor: null, blocked: null };
    return { kind: 'live', id: here.id as NoteId, spot, note, doc: here.doc, fingerprints: here.fingerprints };
  }
  refuseRecentlyDeleted(
    writing,
    rows.filter((row) => row.found === 'recent'),
    text ?? '',
  );
  const spot = await parts.tree.spot(parts.db, vault, path, pathKey);
  if (spot.blocked !== null) throw await conflictWithHolder(parts, vault, spot.blocked.holder, spot.blocked.path);
  const revived = owner === undefined ? null : await basisOfOwner(parts, writing, spot, owner);
  if (revived !== null) return revived;
  // No answer may tell whose an id is or was, so a taken or spent one is treated as if none had been sent.
  const isFree = owner === undefined && rows.every((row) => row.found !== 'spent');
  const id = asked !== null && isFree ? asked : newId(parts);
  const tombstoneVersion = rows.find((row) => row.found === 'highest')?.version ?? 0;
  return { kind: 'new', id, spot, tombstoneVersion };
}

type Found = Omit<store.StoredNote, 'content'> & { readonly content: Buffer | null; readonly vault_id: string };

function keptNote(vault: OpenVault, row: Omit<Found, 'vault_id'>): KeptNote {
  if (row.content === null) throw new NotevaultError('note_unreadable');
  return { ...openNote(vault, { ...row, content: row.content }), sealedContent: row.content };
}

function isLiveIn(vault: OpenVault, row: Found): boolean {
  return row.vault_id === vault.id && row.deleted_at === null;
}

/** This vault's tombstone that the writer's id names; null when a note of another vault has the id. Throws `conflict`. */
async function basisOfOwner(parts: NoteParts, { vault }: Writing, spot: Spot, owner: Found): Promise<Basis | null> {
  const id = owner.id as NoteId;
  if (owner.vault_id !== vault.id) return null;
  if (isLiveIn(vault, owner)) throw await conflictWithHolder(parts, vault, { kind: 'note', id }, spot.path);
  const row = await parts.db.get(store.findForRevival, { vault: vault.id, id });
  if (row === undefined) return null;
  return { kind: 'tombstone', id, spot, note: keptNote(vault, row), doc: row.doc, fingerprints: row.fingerprints };
}

function refuseRecentlyDeleted({ vault, device }: Writing, tombstones: readonly Found[], text: string): void {
  for (const row of tombstones) {
    const meta = sealed.openMeta(vault, row.id, row.stamp, row.meta);
    const same = meta.hash === createHash('sha256').update(text, 'utf8').digest('hex');
    if (same && meta.deletedBy !== device) {
      throw new NotevaultError('conflict', { reason: 'recently_deleted', server_note: null });
    }
  }
}

/** The error for a path (or id) that something else holds: where that is, and the note itself when it is one. */
export async function conflictWithHolder(
  { db, tree, files, hooks }: NoteParts,
  vault: OpenVault,
  holder: Holder,
  path: string,
): Promise<NotevaultError> {
  if (holder.kind === 'folder') {
    const folder = await tree.folderPath(db, vault, holder.id);
    return new NotevaultError('conflict', { server_path: folder ?? path });
  }
  if (holder.kind === 'attachment') {
    const [file] = await files.find(db, vault, { ids: [holder.id], folders: [] });
    return new NotevaultError('conflict', { server_path: file?.path ?? path });
  }
  const id = holder.id as NoteId;
  return db.read(async (handle) => {
    const row = await handle.get(store.findById, { vault: vault.id, id });
    if (row === undefined) return new NotevaultError('conflict', { server_path: path });
    const note = toNote(openNote(vault, row), await hooks.linksOf(handle, vault, id));
    return new NotevaultError('conflict', { server_path: note.path, server_note: note });
  });
}

/** The error for a path that could not be taken: about what has it, or stands where it needs a folder. */
export async function conflictOver(parts: NoteParts, vault: OpenVault, path: string): Promise<NotevaultError> {
  for (const at of [path, ...ancestorsOf(path)]) {
    const holder = await parts.tree.holderOf(parts.db, vault, at);
    if (holder !== null && (at === path || holder.kind !== 'folder')) {
      return conflictWithHolder(parts, vault, holder, at);
    }
  }
  return new NotevaultError('conflict');
}

function newId({ clock }: NoteParts): NoteId {
  return clock.uuid() as NoteId;
}
