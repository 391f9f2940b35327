import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FolderId, NoteId, VaultId } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { FolderEntry, Holder } from '../tree/tree.ts';
import type { HotKind, OpenVault } from '../vaults/vaults.ts';
import { conflictWithHolder } from './basis.ts';
import { type Bulk, createBulk } from './bulk.ts';
import { type Census, createCensus } from './census.ts';
import { deleteNote } from './delete.ts';
import { deleteFolders } from './delete-folders.ts';
import { eraseSlice } from './erase.ts';
import { createExpiry, type NoteExpiry } from './expiry.ts';
import { type NoteFeed, noteFeed } from './feed.ts';
import { type HotNote, hotNotes } from './hot.ts';
import { listIn } from './listing.ts';
import { LiveDocuments, type LiveNotes } from './live/live.ts';
import { type NoteMeta, sealed } from './meta.ts';
import { type Move, moveItems, moveOne } from './move.ts';
import { createMoving, type Moving } from './moving.ts';
import type { Note, NoteListed, UpsertNote } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { LiveParts, LiveSignals, Writing } from './parts.ts';
import { Turns } from './turns.ts';
import { upsertNote } from './upsert.ts';
import { createHistory, type History } from './versions.ts';
import { notePathOf, openNote, toNote } from './view.ts';

export interface Notes extends Moving, Bulk, History, Census, NoteFeed, NoteExpiry, AsyncDisposable {
  /** Live notes as they are held open in memory, for those who look at a vault. */
  readonly hot: HotKind<HotNote>;
  /** The documents of notes that people edit over sockets. */
  readonly live: LiveNotes;
  /** Creates the note or merges into it (contract section 4). Resolves once the note is on disk. */
  upsert(writing: Writing<Note>, input: UpsertNote): Promise<Note>;
  /** Throws `note_not_found`, `note_unreadable`. */
  getByPath(vault: OpenVault, path: string): Promise<Note>;
  getById(vault: OpenVault, id: NoteId): Promise<Note>;
  /** The notes directly inside a folder (null: the root), by path. Throws `note_unreadable`. */
  listIn(vault: OpenVault, folder: FolderId | null): Promise<NoteListed[]>;
  /** Leaves a tombstone; a path without a note is no error. */
  deleteByPath(writing: Writing, path: string): Promise<void>;
  /** As deleteByPath, but throws `note_not_found`. */
  deleteById(writing: Writing, id: NoteId): Promise<void>;
  /**
   * Moves notes, attachments and folders, with all below them, into one folder, in one transaction; links that would come to point
   * elsewhere are rewritten. Throws `conflict` and `cycle` with `item_id`.
   */
  move<Result>(writing: Writing<Result>, move: Move<Result>): Promise<Result>;
  /** As `move`, of one thing to a path: `conflict` tells what has it, `cycle` has no `item_id`. */
  moveOne<Result>(writing: Writing<Result>, to: string, move: Move<Result>): Promise<Result>;
  /** Deletes folders with all below them, attachments too, in one transaction. `answer` makes the result inside it. */
  deleteFolders<Result>(
    writing: Writing<Result>,
    find: () => Promise<FolderEntry[]>,
    answer: () => Result,
  ): Promise<Result>;
  /**
   * Runs work on the vault when no move of this process is planned, and no other work under the key: it spares both of
   * them starting over. Nothing may rest on it, for other processes take no turns here.
   */
  inTurn<Result>(vault: OpenVault, key: string, work: () => Promise<Result>): Promise<Result>;
  /** The error for a path that something else holds: where that is, and the note itself when it is one. */
  conflictAt(vault: OpenVault, holder: Holder, path: string): Promise<NotevaultError>;
  /** Deletes a slice of a purged vault's notes; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
}

export type { ChangedNote, SealedNote } from './feed.ts';
export type { HotNote } from './hot.ts';
export type { LiveNote, LiveNotes, Refusal, Taken } from './live/live.ts';
export type { CloseReason, Watcher } from './live/live-document.ts';
export type { Actor, NoteMeta } from './meta.ts';
export type { Top } from './move.ts';
export type { NoteLink } from './notes.schema.ts';
export type {
  FileHooks,
  HeldFile,
  LinkMove,
  LinkPlanner,
  MovedItem,
  MovingHooks,
  NoteHooks,
  PreparedFiles,
  PreparedLinks,
  Rewritten,
  Writing,
  WrittenNote,
} from './parts.ts';

/** Opens the sealed part of a note's row, for rooms that read rows by joins. Throws `note_unreadable`. */
export function openNoteMeta(vault: OpenVault, id: string, stamp: number, bytes: Buffer): NoteMeta {
  return sealed.openMeta(vault, id, stamp, bytes);
}

export function createNotes(given: Omit<LiveParts, 'live'>): Notes {
  // Writes tell the documents in memory, which write by the same verbs.
  const signals: LiveSignals = {
    changed: (id) => live.changed(id),
    deleted: (id) => live.deleted(id),
  };
  const parts = { ...given, live: signals };
  const live = new LiveDocuments(parts);
  const { db, tree, hot, hooks } = parts;
  const turns = new Turns();

  async function read(vault: OpenVault, find: (handle: ReadHandle) => Promise<store.StoredNote | undefined>) {
    return db.read(async (handle) => {
      const row = await find(handle);
      if (row === undefined || row.deleted_at !== null) throw new NotevaultError('note_not_found');
      const links = await hooks.linksOf(handle, vault, row.id as NoteId);
      return toNote(openNote(vault, row), links);
    });
  }

  return {
    ...createMoving(parts, turns),
    ...createBulk(parts, turns),
    ...createHistory(parts, turns),
    ...createCensus(hot),
    ...noteFeed,
    ...createExpiry(db),
    hot: hotNotes,
    upsert(writing, input) {
      const path = notePathOf(input.path);
      const pathKey = tree.pathKey(writing.vault, path);
      return turns.take(writing.vault.id, pathKey.toString('hex'), () =>
        upsertNote(parts, writing, { ...input, path, pathKey }),
      );
    },
    getByPath: (vault, path) =>
      read(vault, (handle) => handle.get(store.findByPath, { vault: vault.id, pathKey: tree.pathKey(vault, path) })),
    getById: (vault, id) => read(vault, (handle) => handle.get(store.findById, { vault: vault.id, id })),
    listIn: (vault, folder) => listIn(parts, vault, folder),
    deleteByPath: (writing, path) => {
      const pathKey = tree.pathKey(writing.vault, path);
      return turns.take(writing.vault.id, pathKey.toString('hex'), async () => {
        await deleteNote(parts, writing, (handle) =>
          handle.get(store.findRowByPath, { vault: writing.vault.id, pathKey }),
        );
      });
    },
    deleteById: (writing, id) =>
      turns.take(writing.vault.id, id, async () => {
        const deleted = await deleteNote(parts, writing, async (handle) => {
          const [row] = await handle.allIn(store.findRows, { vault: writing.vault.id }, [id]);
          return row;
        });
        if (!deleted) throw new NotevaultError('note_not_found');
      }),
    deleteFolders: (writing, find, answer) =>
      turns.alone(writing.vault.id, () => deleteFolders(parts, writing, find, answer)),
    inTurn: (vault, key, work) => turns.take(vault.id, key, work),
    conflictAt: (vault, holder, path) => conflictWithHolder(parts, vault, holder, path),
    // Planned while this process writes nothing else to the vault: the plan will mostly hold when it is carried out.
    move: (writing, move) => turns.alone(writing.vault.id, () => moveItems(parts, writing, move)),
    moveOne: (writing, to, move) => turns.alone(writing.vault.id, () => moveOne(parts, writing, to, move)),
    eraseSlice,
    live,
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  };
}
