import { createHash } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import { parseUuid } from '@notevault/protocol/ids.ts';
import type { Holder, Spot } from '../tree/tree.ts';
import { sealed } from './meta.ts';
import type { UpsertNote } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './notes.ts';
import { type OpenedNote, openNote, toNote } from './view.ts';

/** How long a deletion wins over the same note coming back from a device that has not heard of it. */
const DELETE_WINS_MS = 60_000;

/** A note to write, its path normalised and blinded. */
export interface PlacedNote extends UpsertNote {
  readonly pathKey: Buffer;
}

/** What a write starts from: nothing, the live note at the path, or the tombstone its id names. */
export type Basis =
  | { readonly kind: 'new'; readonly id: NoteId; readonly spot: Spot }
  | {
      readonly kind: 'live' | 'tombstone';
      readonly id: NoteId;
      readonly spot: Spot;
      readonly note: KeptNote;
      /** The document, still sealed; null for one that is still its seed. */
      readonly doc: Buffer | null;
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
  const { vault } = writing;
  const row = await parts.db.get(store.findForWrite, { vault: vault.id, pathKey: input.pathKey });
  if (row !== undefined) {
    const note = { ...openNote(vault, row), sealedContent: row.content };
    // The stored spelling stays: writing `A.md` over `a.md` is an edit, not a rename.
    const spot = { path: note.meta.path, pathKey: input.pathKey, anchor: null, blocked: null };
    return { kind: 'live', id: row.id as NoteId, spot, note, doc: row.doc };
  }
  await refuseRecentlyDeleted(parts, writing, input.pathKey, text ?? '');
  const spot = await parts.tree.spot(parts.db, vault, input.path, input.pathKey);
  if (spot.blocked !== null) throw await conflictWithHolder(parts, vault, spot.blocked.holder, spot.blocked.path);
  const asked = parseUuid(input.id) as NoteId | null;
  return asked === null ? { kind: 'new', id: newId(parts), spot } : basisOfId(parts, writing, spot, asked);
}

/** A client-minted id: free, or of this vault's tombstone, or of a live note here (a conflict), or taken elsewhere. */
async function basisOfId(parts: NoteParts, { vault }: Writing, spot: Spot, id: NoteId): Promise<Basis> {
  const owner = await parts.db.get(store.findIdAnywhere, { id });
  if (owner === undefined) return { kind: 'new', id, spot };
  // No answer may tell whose the id is, so a foreign one is treated as if none had been sent.
  if (owner.vault_id !== vault.id) return { kind: 'new', id: newId(parts), spot };
  if (owner.deleted_at === null) throw await conflictWithHolder(parts, vault, { kind: 'note', id }, spot.path);
  const row = await parts.db.get(store.findForRevival, { vault: vault.id, id });
  if (row === undefined) return { kind: 'new', id: newId(parts), spot };
  const note = { ...openNote(vault, row), sealedContent: row.content };
  return { kind: 'tombstone', id, spot, note, doc: row.doc };
}

async function refuseRecentlyDeleted(parts: NoteParts, { vault, device }: Writing, pathKey: Buffer, text: string) {
  if (device === null) return;
  const since = parts.clock.now() - DELETE_WINS_MS;
  const tombstones = await parts.db.all(store.findTombstones, { vault: vault.id, pathKey, since });
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
  { db, tree, hooks }: NoteParts,
  vault: Writing['vault'],
  holder: Holder,
  path: string,
): Promise<NotevaultError> {
  if (holder.kind !== 'note') {
    const folder = holder.kind === 'folder' ? await tree.folderPath(db, vault, holder.id) : null;
    return new NotevaultError('conflict', { server_path: folder ?? path });
  }
  const id = holder.id as NoteId;
  return db.read(async (handle) => {
    const row = await handle.get(store.findById, { vault: vault.id, id });
    if (row === undefined) return new NotevaultError('conflict', { server_path: path });
    const note = toNote(openNote(vault, row), await hooks.linksOf(handle, vault, id));
    return new NotevaultError('conflict', { server_path: note.path, server_note: note });
  });
}

function newId({ clock }: NoteParts): NoteId {
  return clock.uuid() as NoteId;
}
