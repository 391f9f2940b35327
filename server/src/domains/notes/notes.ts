import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FolderId, NoteId, VaultId } from '@notevault/protocol/ids.ts';
import type { Note, NoteListed, UpsertNote } from '@notevault/protocol/notes.ts';
import { KeyedLock } from '../../concurrency/keyed-lock.ts';
import type { ReadHandle, WriteHandle } from '../../ports/database/database.ts';
import type { FolderEntry, PathOwner } from '../namespace/namespace.ts';
import type { CachedCollection, OpenVault } from '../vaults/vaults.ts';
import { type BatchOperations, createBatchOperations } from './bulk.ts';
import { type NoteChangeFeed, noteChangeFeed } from './change-feed.ts';
import { deleteNote } from './delete.ts';
import { deleteFolders } from './delete-folders.ts';
import { createFacets, type Facets } from './facets.ts';
import { DocumentManager, type LiveNotes } from './live/document-manager.ts';
import { createMoveOperations, type MoveOperations } from './move.ts';
import { type MoveRequest, moveItems, moveOne } from './move-items.ts';
import { type CachedNote, cachedNotes } from './note-cache.ts';
import { notePathOf, openNote, toNote } from './note-mapper.ts';
import type { LiveDeps, LiveNotifications } from './notes.deps.ts';
import * as store from './notes.store.ts';
import { purgeSlice } from './purge.ts';
import { listIn } from './queries.ts';
import { type NoteMeta, sealed } from './sealed-note.ts';
import { createTombstoneExpiry, type NoteExpiry } from './tombstone-expiry.ts';
import { upsertNote } from './upsert.ts';
import { createHistory, type History } from './versions.ts';
import type { WriteContext } from './write-context.ts';
import { conflictWithOwner } from './write-target.ts';

export interface Notes
  extends MoveOperations,
    BatchOperations,
    History,
    Facets,
    NoteChangeFeed,
    NoteExpiry,
    AsyncDisposable {
  /** Live notes as they are cached in memory, for those who look at a vault. */
  readonly cache: CachedCollection<CachedNote>;
  /** The documents of notes that people edit over sockets. */
  readonly live: LiveNotes;
  /** Creates the note or merges into it. Resolves once the note is on disk. */
  upsert(context: WriteContext<Note>, input: UpsertNote): Promise<Note>;
  /** Throws `note_not_found`, `note_unreadable`. */
  getByPath(vault: OpenVault, path: string): Promise<Note>;
  getById(vault: OpenVault, id: NoteId): Promise<Note>;
  /** The notes directly inside a folder (null: the root), by path. Throws `note_unreadable`. */
  listIn(vault: OpenVault, folder: FolderId | null): Promise<NoteListed[]>;
  /** Leaves a tombstone; a path without a note is no error. */
  deleteByPath(context: WriteContext, path: string): Promise<void>;
  /** As deleteByPath, but throws `note_not_found`. */
  deleteById(context: WriteContext, id: NoteId): Promise<void>;
  /**
   * Moves notes, attachments and folders, with all below them, into one folder, in one transaction; links that would come to point
   * elsewhere are rewritten. Throws `conflict` and `cycle` with `item_id`.
   */
  move<Result>(context: WriteContext<Result>, move: MoveRequest<Result>): Promise<Result>;
  /** As `move`, of one thing to a path: `conflict` tells what has it, `cycle` has no `item_id`. */
  moveOne<Result>(context: WriteContext<Result>, to: string, move: MoveRequest<Result>): Promise<Result>;
  /** Deletes folders with all below them, attachments too, in one transaction. `answer` makes the result inside it. */
  deleteFolders<Result>(
    context: WriteContext<Result>,
    find: () => Promise<FolderEntry[]>,
    answer: () => Result,
  ): Promise<Result>;
  /**
   * Runs work on the vault when no move of this process is planned, and no other work under the key: it spares both of
   * them starting over. Nothing may rest on it, for other processes take no turns here.
   */
  inTurn<Result>(vault: OpenVault, key: string, work: () => Promise<Result>): Promise<Result>;
  /** The error for a path that something else holds: where that is, and the note itself when it is one. */
  conflictAt(vault: OpenVault, owner: PathOwner, path: string): Promise<NotevaultError>;
  /** Deletes a slice of a purged vault's notes; true when more may be left. */
  purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
}

export type { ChangedNote, SealedNote } from './change-feed.ts';
export type { ApplyOutcome, ApplyRefusal, LiveNote, LiveNotes } from './live/document-manager.ts';
export type { CloseReason, Watcher } from './live/live-document.ts';
export type { MoveRoot } from './move-items.ts';
export type {
  AttachmentRef,
  LinkMove,
  MovedItem,
  PreparedAttachments,
  PreparedLinks,
  RewrittenNote,
} from './moved-item.ts';
export type { CachedNote } from './note-cache.ts';
export type { AttachmentHooks, LinkPlanner, MoveHooks, NoteHooks } from './notes.deps.ts';
export type { Actor, NoteMeta } from './sealed-note.ts';
export type { WriteContext, WrittenNote } from './write-context.ts';

/** Opens the sealed part of a note's row, for domains that read rows by joins. Throws `note_unreadable`. */
export function openNoteMeta(vault: OpenVault, id: string, revision: number, bytes: Buffer): NoteMeta {
  return sealed.openMeta(vault, id, revision, bytes);
}

export function createNotes(given: Omit<LiveDeps, 'live'>): Notes {
  // Writes tell the documents in memory, which write by the same operations.
  const signals: LiveNotifications = {
    changed: (id) => live.changed(id),
    deleted: (id) => live.deleted(id),
  };
  const parts = { ...given, live: signals };
  const live = new DocumentManager(parts);
  const { db, namespace, cache, hooks } = parts;
  const lock = new KeyedLock();

  async function read(vault: OpenVault, find: (handle: ReadHandle) => Promise<store.StoredNote | undefined>) {
    return db.read(async (handle) => {
      const row = await find(handle);
      if (row === undefined || row.deleted_at !== null) throw new NotevaultError('note_not_found');
      const links = await hooks.linksOf(handle, vault, row.id as NoteId);
      return toNote(openNote(vault, row), links);
    });
  }

  return {
    ...createMoveOperations(parts, lock),
    ...createBatchOperations(parts, lock),
    ...createHistory(parts, lock),
    ...createFacets(cache),
    ...noteChangeFeed,
    ...createTombstoneExpiry(db),
    cache: cachedNotes,
    upsert(context, input) {
      const path = notePathOf(input.path);
      const pathKey = namespace.pathKey(context.vault, path);
      return lock.run(context.vault.id, pathKey.toString('hex'), () =>
        upsertNote(parts, context, { ...input, path, pathKey }),
      );
    },
    getByPath: (vault, path) =>
      read(vault, (handle) =>
        handle.get(store.findByPath, { vault: vault.id, pathKey: namespace.pathKey(vault, path) }),
      ),
    getById: (vault, id) => read(vault, (handle) => handle.get(store.findById, { vault: vault.id, id })),
    listIn: (vault, folder) => listIn(parts, vault, folder),
    deleteByPath: (context, path) => {
      const pathKey = namespace.pathKey(context.vault, path);
      return lock.run(context.vault.id, pathKey.toString('hex'), async () => {
        await deleteNote(parts, context, (handle) =>
          handle.get(store.findRowByPath, { vault: context.vault.id, pathKey }),
        );
      });
    },
    deleteById: (context, id) =>
      lock.run(context.vault.id, id, async () => {
        const deleted = await deleteNote(parts, context, async (handle) => {
          const [row] = await handle.allMany(store.findRows, { vault: context.vault.id }, [id]);
          return row;
        });
        if (!deleted) throw new NotevaultError('note_not_found');
      }),
    deleteFolders: (context, find, answer) =>
      lock.runExclusive(context.vault.id, () => deleteFolders(parts, context, find, answer)),
    inTurn: (vault, key, work) => lock.run(vault.id, key, work),
    conflictAt: (vault, owner, path) => conflictWithOwner(parts, vault, owner, path),
    // Planned while this process writes nothing else to the vault: the plan will mostly hold when it is carried out.
    move: (context, move) => lock.runExclusive(context.vault.id, () => moveItems(parts, context, move)),
    moveOne: (context, to, move) => lock.runExclusive(context.vault.id, () => moveOne(parts, context, to, move)),
    purgeSlice,
    live,
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  };
}
