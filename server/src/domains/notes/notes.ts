import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Note, NoteListed, UpsertNote } from '@notevault/protocol/notes.ts';
import type { FolderId, NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import type { KindHandler, WriteContext } from '../entries/entries.ts';
import type { Precondition } from '../entries/precondition.ts';
import type { CachedCollection, OpenVault } from '../vaults/vaults.ts';
import { createNoteChangeFeed, type NoteChangeFeed } from './change-feed.ts';
import { deleteById, deleteByPath } from './deletion/delete-notes.ts';
import { purgeSlice } from './deletion/purge.ts';
import { createFacets, type Facets } from './facets.ts';
import { createHistory, type History } from './history/versions.ts';
import { DocumentManager } from './live/document-manager.ts';
import type { LiveNotes } from './live/live-notes.ts';
import { createMoveOperations, type MoveOperations } from './moves/move.ts';
import { type CachedNote, cachedNotes } from './note-cache.ts';
import { createNoteKind } from './note-kind.ts';
import type { LiveDeps, LiveNotifications, NoteDeps, NotePlace } from './notes.deps.ts';
import { cachedToListed, notePathOf, openNote, toListed, toNote } from './notes.mapper.ts';
import { type NoteMeta, sealed } from './sealed-note.ts';
import { type BatchOperations, createBatchOperations } from './writes/bulk.ts';
import { deriveOnPool } from './writes/offload/derive-on-pool.ts';
import { upsertNote } from './writes/upsert.ts';
import { VaultWriter } from './writes/vault-writer.ts';

export interface Notes extends MoveOperations, BatchOperations, History, Facets, NoteChangeFeed, AsyncDisposable {
  readonly kind: KindHandler;
  readonly cache: CachedCollection<CachedNote>;
  /** The live documents that are edited over sockets. */
  readonly live: LiveNotes;
  /** Creates the note, or merges into the existing one. Resolves once the note is on disk. */
  upsert(context: WriteContext<Note>, input: UpsertNote): Promise<Note>;
  /** Throws `note_not_found`, `note_unreadable`. */
  getByPath(vault: OpenVault, path: string): Promise<Note>;
  getById(vault: OpenVault, id: NoteId): Promise<Note>;
  /** Like getByPath, but resolves to null for a note of more than 64 KB, or none. Throws `note_unreadable`. */
  prefetchByPath(vault: OpenVault, path: string): Promise<Note | null>;
  prefetchById(vault: OpenVault, id: NoteId): Promise<Note | null>;
  linksIn(vault: OpenVault, path: string, text: string): Promise<readonly ParsedLink[]>;
  /** Returns the notes that were written last, newest first. Throws `note_unreadable`. */
  recent(vault: OpenVault, limit: number): Promise<NoteListed[]>;
  /** Returns those of some notes that exist, by id. Throws `note_unreadable`. */
  listedById(vault: OpenVault, ids: ReadonlySet<NoteId>): Promise<Map<NoteId, NoteListed>>;
  /** Returns the notes directly inside a folder (null: the root), ordered by path. Throws `note_unreadable`. */
  listIn(vault: OpenVault, folder: FolderId | null): Promise<NoteListed[]>;
  /**
   * Turns the note at a path into a tombstone; a path without a note is not an error. Throws `version_conflict` for a
   * failed precondition.
   */
  deleteByPath(context: WriteContext, path: string, expected?: Precondition): Promise<void>;
  /** Like deleteByPath, but throws `note_not_found`. */
  deleteById(context: WriteContext, id: NoteId, expected?: Precondition): Promise<void>;
  /**
   * Deletes a slice of a purged vault's stored versions; returns true when more may be left. Other rows are deleted
   * with the entries.
   */
  purgeSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
}

export type { ChangedNote, SealedNote } from './change-feed.ts';
export type { ApplyOutcome, ApplyRefusal, LiveNote, LiveNotes } from './live/live-notes.ts';
export type { CloseReason, Watcher } from './live/watchers.ts';
export type { LinkMove, MovedItem, PreparedLinks, RewrittenNote } from './moves/moved-notes.ts';
export type { CachedNote } from './note-cache.ts';
export type { LinkPlanner, LinkWrites, MoveHooks, NoteHooks, NotePlace, WrittenNote } from './notes.deps.ts';
export type { ReadNote, StoredNote } from './notes.store.ts';
export type { NoteMeta } from './sealed-note.ts';

/** Unseals the meta of a note's row, for domains that read it by a join. Throws `note_unreadable`. */
export function openNoteMeta(vault: OpenVault, id: string, revision: number, bytes: Buffer): NoteMeta {
  return sealed.openMeta(vault, id, revision, bytes);
}

export function createNotes(given: Omit<LiveDeps, 'live' | 'writer'>): Notes {
  // Writes notify the documents in memory, which write by the same operations.
  const signals: LiveNotifications = {
    changed: (id) => live.changed(id),
    deleted: (id) => live.deleted(id),
  };
  const deps = { ...given, live: signals, writer: new VaultWriter({ ...given, live: signals }) };
  const live = new DocumentManager(deps);
  const { db, entries, cache, hooks, opened } = deps;
  const { lock } = entries;

  async function read(vault: OpenVault, at: NotePlace, onlySmall = false): Promise<Note | null> {
    const found = await hooks.noteWithLinks(db, vault, at, onlySmall);
    return found === undefined ? null : toNote(openNote(vault, found.note, opened), found.links);
  }

  async function existing(vault: OpenVault, at: NotePlace): Promise<Note> {
    const note = await read(vault, at);
    if (note === null) throw new NotevaultError('note_not_found');
    return note;
  }

  return {
    ...createMoveOperations(deps),
    ...createBatchOperations(deps),
    ...createHistory(deps),
    ...createFacets(cache),
    ...createNoteChangeFeed(entries),
    kind: createNoteKind(deps),
    cache: cachedNotes,
    upsert(context, input) {
      const path = notePathOf(input.path);
      const pathKey = entries.pathKey(context.vault, path);
      return lock.run(context.vault.id, pathKey.toString('hex'), () =>
        upsertNote(deps, context, { ...input, path, pathKey }),
      );
    },
    getByPath: (vault, path) => existing(vault, { pathKey: entries.pathKey(vault, path) }),
    getById: (vault, id) => existing(vault, { id }),
    prefetchByPath: (vault, path) => read(vault, { pathKey: entries.pathKey(vault, path) }, true),
    prefetchById: (vault, id) => read(vault, { id }, true),
    linksIn: async (vault, path, text) => (await deriveOnPool(deps, vault, path, text)).links,
    recent: async (vault, limit) =>
      (await entries.newestOf(db, vault, 'note', limit)).map((row) => toListed(vault, row)),
    listedById: async (vault, ids) =>
      new Map(
        (await entries.rowsById(db, vault.id, 'note', [...ids])).map((row) => [row.id as NoteId, toListed(vault, row)]),
      ),
    listIn: (vault, folder) => listIn(deps, vault, folder),
    deleteByPath: (context, path, expected) => deleteByPath(deps, context, path, expected),
    deleteById: (context, id, expected) => deleteById(deps, context, id, expected),
    purgeSlice,
    live,
    [Symbol.asyncDispose]: () => live[Symbol.asyncDispose](),
  };
}

/**
 * Returns the notes directly inside a folder (null: the root), ordered by path: from memory when the vault is cached,
 * else by unsealing only these rows. Throws `note_unreadable`.
 */
async function listIn(
  { db, cache, entries }: Pick<NoteDeps, 'db' | 'cache' | 'entries'>,
  vault: OpenVault,
  folder: FolderId | null,
): Promise<NoteListed[]> {
  if (cache.has(vault, cachedNotes)) {
    return cache.snapshot(vault, async (snapshot) => {
      const yieldIfDue = createYield();
      const notes: NoteListed[] = [];
      for (const note of await (await snapshot.rows(cachedNotes)).sorted()) {
        await yieldIfDue();
        if (note.folderId === folder) notes.push(cachedToListed(note));
      }
      return notes;
    });
  }
  const rows = await entries.rowsIn(db, vault.id, 'note', folder === null ? null : [folder]);
  const yieldIfDue = createYield();
  const notes: NoteListed[] = [];
  for (const row of rows) {
    await yieldIfDue();
    notes.push(toListed(vault, row));
  }
  return notes.sort((a, b) => (a.path < b.path ? -1 : 1));
}
