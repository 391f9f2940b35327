import { hash } from 'node:crypto';
import type { DerivedNote } from '@notevault/note-text/derive.ts';
import type { GaveWay } from '@notevault/note-text/merge/merge-note.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteLink, UpsertNote } from '@notevault/protocol/notes.ts';
import { NIL_UUID, type NoteId, parseUuid } from '@notevault/protocol/values/ids.ts';
import { latestPlausible } from '../../../../ports/clock/clock.ts';
import type { Actor, ResolvedPath, WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { InsertedClocks } from '../merge/fingerprints.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { type OpenedNote, openNote, type toNote } from '../notes.mapper.ts';
import type { FoundRow, VersionDraft } from '../notes.store.ts';
import * as store from '../notes.store.ts';
import { type NoteMeta, originOf, sealed } from '../sealed-note.ts';

/** A note with its content, both sealed and unsealed. */
export type StoredNoteContent = OpenedNote & { readonly sealedContent: Buffer };

/** The target of a write: nothing, the live note at the path, or the tombstone that its id names. */
export type WriteTarget =
  | {
      readonly kind: 'new';
      readonly id: NoteId;
      readonly resolved: ResolvedPath;
      /** The highest version of the tombstones at the path, 0 without any: the new note's versions continue from it. */
      readonly tombstoneVersion: number;
    }
  | ExistingTarget;

export interface ExistingTarget {
  readonly kind: 'live' | 'tombstone';
  readonly id: NoteId;
  readonly resolved: ResolvedPath;
  readonly note: StoredNoteContent;
  /** The document, still sealed; null when it is still its seed. */
  readonly doc: Buffer | null;
  /** Fingerprints of the writes that named a version; read for upserts only. */
  readonly fingerprints?: Buffer | null;
  /**
   * The version of the tombstone at the path, as for a new note: another note may have been there since the deletion.
   */
  readonly tombstoneVersion?: number;
}

/** The row, body and replaced version of a write, sealed. */
export interface NoteRowDraft {
  readonly id: NoteId;
  readonly path: string;
  readonly text: string;
  readonly version: number;
  readonly revision: number;
  readonly size: number;
  readonly mtime: number;
  readonly now: number;
  readonly createdAt: number;
  readonly nameKey: Buffer;
  readonly meta: NoteMeta;
  readonly sealedMeta: Buffer;
  readonly content: Buffer;
  readonly doc: Buffer | null;
  readonly derived: DerivedNote;
  /** The clocks that the server has inserted into the document since the previous version; null for a new note. */
  readonly inserted: InsertedClocks | null;
  /** The replaced version, to be stored; null for a new note. */
  readonly replaced: VersionDraft | null;
  /** The versions between the replaced one and this, of several people who typed at once. */
  readonly between?: readonly VersionDraft[];
  /** The authors of each new version, if not the actor in the meta alone. */
  readonly authors?: readonly VersionAuthors[];
  /** The stored values that a merge replaced. */
  readonly gaveWay?: readonly GaveWay[];
}

/** The people who made a version from the one before it. */
export interface VersionAuthors {
  readonly actors: readonly Actor[];
  readonly before: number;
  readonly version: number;
}

/** The plan of a note's write: new rows, or none if the text is unchanged. */
export type WritePlan =
  | RowWrite
  | { readonly kind: 'unchanged'; readonly note: OpenedNote; readonly fingerprints?: FingerprintsChange };

export interface RowWrite {
  readonly kind: 'write';
  readonly target: WriteTarget;
  readonly next: NoteRowDraft;
  readonly fingerprints?: FingerprintsChange;
}

/** The note's new fingerprints, which replace the ones that were read. */
export interface FingerprintsChange {
  readonly was: Buffer | null;
  readonly now: Buffer;
}

/** A note as its transaction leaves it. */
export interface CommittedNote {
  readonly note: Parameters<typeof toNote>[0];
  /** Its edges; null if nothing was written, so that they were not read. */
  readonly links: readonly NoteLink[] | null;
  /** Whether the note was created or revived. */
  readonly fresh: boolean;
  readonly gaveWay: readonly GaveWay[];
}

/** How long a deletion wins over the same note sent by a device that has not received the deletion. */
const DELETE_WINS_MS = 60_000;

/** A note to write, with its normalized path and the blind index of it. */
export interface NoteInput extends UpsertNote {
  readonly pathKey: Buffer;
}

/** The reads of an upsert's plan: its own, or shared by all notes of a batch. */
export interface TargetReads {
  /** Resolves to the rows of findForWrites. */
  find(input: NoteInput): Promise<readonly FoundRow[]>;
  resolve(path: string, pathKey: Buffer): Promise<ResolvedPath>;
}

export function readsOf({ db, clock, entries }: NoteDeps, { vault, device }: WriteContext): TargetReads {
  return {
    find: (input) => db.allMany(store.findForWrites, { vault: vault.id, ...recentOf(clock, device) }, [keysOf(input)]),
    resolve: (path, pathKey) => entries.resolve(db, vault, path, pathKey),
  };
}

/** Returns the keys under which rows are found; without an id from the client, NIL_UUID, which matches nothing. */
export function keysOf({ id, pathKey }: Pick<NoteInput, 'id' | 'pathKey'>): { id: string; pathKey: Buffer } {
  return { id: parseUuid(id) ?? NIL_UUID, pathKey };
}

/** The span in which a deletion wins over a write of this device. */
export function recentOf(clock: NoteDeps['clock'], device: string | null): { since: number; latest: number } {
  const now = clock.now();
  return { since: device === null ? Number.MAX_SAFE_INTEGER : now - DELETE_WINS_MS, latest: latestPlausible(now) };
}

/** Looks up the target of an upsert. Throws `conflict` where the path or the id belongs to another entry. */
export async function findWriteTarget(
  deps: NoteDeps,
  context: WriteContext,
  input: NoteInput,
  text: string | undefined,
  reads = readsOf(deps, context),
): Promise<WriteTarget> {
  const { vault } = context;
  const { path, pathKey } = input;
  const requestedId = parseUuid(input.id) as NoteId | null;
  const rows = await reads.find(input);
  const here = rows.find((row) => row.found === 'here');
  const owner = rows.find((row) => row.found === 'id');
  if (here !== undefined) {
    // If another note has the path, the id tells that the writer means a different one.
    if (owner !== undefined && owner.id !== here.id && isLiveIn(vault, owner)) {
      throw await deps.entries.conflictWith(vault, { kind: 'note', id: owner.id }, path);
    }
    const { doc, fingerprints } = here;
    // The stored spelling is kept: writing `A.md` over `a.md` is an edit, not a rename.
    return { ...targetOf('live', { note: storedNote(vault, here), doc }), fingerprints };
  }
  refuseRecentlyDeleted(
    context,
    rows.filter((row) => row.found === 'recent'),
    text ?? '',
  );
  const resolved = await reads.resolve(path, pathKey);
  if (resolved.blocked !== null)
    throw await deps.entries.conflictWith(vault, resolved.blocked.owner, resolved.blocked.path);
  const tombstoneVersion = rows.find((row) => row.found === 'highest')?.version ?? 0;
  const revived = owner === undefined ? null : await targetOfOwner(deps, context, resolved, owner);
  if (revived !== null) return { ...revived, tombstoneVersion };
  // No answer may reveal the owner of an id, so a taken or spent id is ignored.
  const isFree = owner === undefined && rows.every((row) => row.found !== 'spent');
  const id = requestedId !== null && isFree ? requestedId : (deps.clock.uuid() as NoteId);
  return { kind: 'new', id, resolved, tombstoneVersion };
}

/** The target at the note's own path. */
export function targetOf(
  kind: ExistingTarget['kind'],
  { note, doc }: Pick<ExistingTarget, 'note' | 'doc'>,
): ExistingTarget {
  const resolved = { path: note.meta.path, pathKey: note.path_key, nearest: null, blocked: null };
  return { kind, id: note.id as NoteId, resolved, note, doc };
}

/** Throws `note_unreadable`. */
export function storedNote(
  vault: OpenVault,
  row: store.StoredRow & { readonly content: Buffer | null },
): StoredNoteContent {
  if (row.content === null) throw new NotevaultError('note_unreadable');
  return { ...openNote(vault, { ...row, content: row.content }), sealedContent: row.content };
}

function isLiveIn(vault: OpenVault, row: FoundRow): boolean {
  return row.kind === 'note' && row.vault_id === vault.id && row.deleted_at === null;
}

/** Returns this vault's tombstone of the note with the id; null when any other entry has it. Throws `conflict`. */
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
    const same = meta.hash === hash('sha256', text, 'hex');
    if (same && meta.deletedBy !== originOf(vault, device)) {
      throw new NotevaultError('conflict', { reason: 'recently_deleted', server_note: null });
    }
  }
}

/** Returns the version before the next one; versions continue at a path with tombstones. */
export function lastVersionOf(target: WriteTarget): number {
  if (target.kind === 'new') return target.tombstoneVersion;
  return Math.max(target.note.version, target.tombstoneVersion ?? 0);
}
