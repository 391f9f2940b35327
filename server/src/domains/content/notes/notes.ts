import { tagKey } from '@notevault/note-text/tags.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Counted, Note, NoteListed, UpsertNote } from '@notevault/protocol/notes.ts';
import type { FolderId, NoteId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../../concurrency/yield.ts';
import type { WriteContext } from '../entries/entries.ts';
import type { OpenVault, VaultCache } from '../vaults/vaults.ts';
import { createNoteChangeFeed } from './change-feed.ts';
import { deleteById, deleteByPath, deleteMany } from './deletion/delete-notes.ts';
import { knownTexts } from './history/known-texts.ts';
import { authorsSince, revertVersions, textOfVersion } from './history/revert.ts';
import { listVersions, readVersion, restoreVersion, thinVersions } from './history/versions.ts';
import { DocumentManager } from './live/document-manager.ts';
import { createMoveOperations } from './moves/move.ts';
import { type CachedNote, cachedNotes } from './note-cache.ts';
import { createNoteKind, purgeSlice } from './note-kind.ts';
import type { LiveDeps, LiveNotifications, NoteDeps, NotePlace, NoteWithLinks } from './notes.deps.ts';
import { cachedToListed, notePathOf, openNote, toListed, toNote } from './notes.mapper.ts';
import { type NoteMeta, sealed } from './sealed-note.ts';
import { upsertBatch } from './writes/batch/batch.ts';
import { linkMentionOf, mentionedNote, replacePlaces, toggleTask } from './writes/edit-text.ts';
import { deriveOnPool } from './writes/offload/task-transfer.ts';
import { append, type UpsertResult, upsertNote } from './writes/upsert.ts';
import { VaultWriter } from './writes/vault-writer.ts';

export type Notes = ReturnType<typeof createNotes>;

export type { ChangedNote, SealedNote } from './change-feed.ts';
export type { ApplyOutcome, CloseReason, LiveNote, LiveNotes, Watcher } from './live/live-notes.ts';
export type { LinkMove, PreparedLinks, RewrittenNote } from './moves/moved-notes.ts';
export type { CachedNote } from './note-cache.ts';
export type {
  LinkPlanner,
  LinkWrites,
  MoveHooks,
  NoteHooks,
  NotePlace,
  NoteWithLinks,
  WrittenNote,
} from './notes.deps.ts';
export type { ReadNote, StoredNote } from './notes.store.ts';
export type { NoteMeta } from './sealed-note.ts';

/** Unseals the meta of a note's row, for domains that read it by a join. Throws `note_unreadable`. */
export function openNoteMeta(vault: OpenVault, id: string, revision: number, bytes: Buffer): NoteMeta {
  return sealed.openMeta(vault, id, revision, bytes);
}

export function createNotes(given: Omit<LiveDeps, 'live' | 'writer'>) {
  // Writes notify the documents in memory, which write by the same operations.
  const signals: LiveNotifications = {
    changed: (id) => live.changed(id),
    deleted: (id) => live.deleted(id),
  };
  const deps = { ...given, live: signals, writer: new VaultWriter({ ...given, live: signals }) };
  const live = new DocumentManager(deps);
  const { db, entries, cache, hooks, opened } = deps;
  const { lock } = entries;

  const noteOf = (vault: OpenVault, { note, links }: NoteWithLinks) => toNote(openNote(vault, note, opened), links);

  async function existing(vault: OpenVault, at: NotePlace): Promise<Note> {
    const found = await hooks.noteWithLinks(db, vault, at);
    if (found === undefined) throw new NotevaultError('note_not_found');
    return noteOf(vault, found);
  }

  async function small(vault: OpenVault, at: NotePlace): Promise<Note | null> {
    const found = await hooks.noteWithLinks(db, vault, at, true);
    return found === undefined ? null : noteOf(vault, found);
  }

  return {
    ...createMoveOperations(deps),
    upsertMany: upsertBatch.bind(null, deps),
    append: append.bind(null, deps),
    known: knownTexts.bind(null, deps),
    versions: listVersions.bind(null, deps),
    version: readVersion.bind(null, deps),
    restore: restoreVersion.bind(null, deps),
    revert: revertVersions.bind(null, deps),
    authorsSince: authorsSince.bind(null, deps),
    textOfVersion: textOfVersion.bind(null, deps),
    thinVersions: thinVersions.bind(null, deps),
    tags: (vault: OpenVault) => countFacet(cache, vault, ({ tags }) => tags),
    types: (vault: OpenVault) => countFacet(cache, vault, ({ type }) => (type === null ? [] : [type])),
    ...createNoteChangeFeed(entries),
    kind: createNoteKind(deps),
    cache: cachedNotes,
    /** Creates the note, or merges into the existing one. Resolves once the note is on disk. */
    upsert(context: WriteContext<UpsertResult>, input: UpsertNote): Promise<UpsertResult> {
      const path = notePathOf(input.path);
      const pathKey = entries.pathKey(context.vault, path);
      return lock.run(context.vault.id, pathKey.toString('hex'), () =>
        upsertNote(deps, context, { ...input, path, pathKey }),
      );
    },
    /** Throws `note_not_found`, `note_unreadable`. */
    getByPath: (vault: OpenVault, path: string) => existing(vault, { pathKey: entries.pathKey(vault, path) }),
    getById: (vault: OpenVault, id: NoteId) => existing(vault, { id }),
    /** Like getByPath, but resolves to null for a note of more than 64 KB, or none. Throws `note_unreadable`. */
    prefetchByPath: (vault: OpenVault, path: string) => small(vault, { pathKey: entries.pathKey(vault, path) }),
    prefetchById: (vault: OpenVault, id: NoteId) => small(vault, { id }),
    linksIn: async (vault: OpenVault, path: string, text: string) =>
      (await deriveOnPool(deps, vault, path, text)).links,
    /** Returns the notes that were written last, newest first. Throws `note_unreadable`. */
    recent: async (vault: OpenVault, limit: number): Promise<NoteListed[]> =>
      (await entries.newestOf(db, vault, 'note', limit)).map((row) => toListed(vault, row)),
    /** Returns those of some notes that exist, by id. Throws `note_unreadable`. */
    listedById: async (vault: OpenVault, ids: ReadonlySet<NoteId>): Promise<Map<NoteId, NoteListed>> =>
      new Map(
        (await entries.rowsById(db, vault.id, 'note', [...ids])).map((row) => [row.id as NoteId, toListed(vault, row)]),
      ),
    listIn: listIn.bind(null, deps),
    mentioned: mentionedNote.bind(null, deps),
    linkMention: linkMentionOf.bind(null, deps),
    replacePlaces: replacePlaces.bind(null, deps),
    toggleTask: toggleTask.bind(null, deps),
    deleteByPath: deleteByPath.bind(null, deps),
    deleteById: deleteById.bind(null, deps),
    deleteMany: deleteMany.bind(null, deps),
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

interface FacetCount {
  count: number;
  name: string;
  /** The note from which the spelling is taken. */
  by: CachedNote;
}

/** Counts the values of all notes, without case, by name; the oldest note spells them. Throws `note_unreadable`. */
async function countFacet(
  cache: VaultCache,
  vault: OpenVault,
  valuesOf: (note: CachedNote) => readonly string[],
): Promise<Counted[]> {
  const found = new Map<string, FacetCount>();
  await cache.snapshot(vault, async (snapshot) => {
    const yieldIfDue = createYield();
    for (const note of (await snapshot.rows(cachedNotes)).byId.values()) {
      await yieldIfDue();
      for (const name of valuesOf(note)) count(found, name, note);
    }
  });
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { name, count }]) => ({ name, count }));
}

function count(found: Map<string, FacetCount>, name: string, by: CachedNote): void {
  const key = tagKey(name);
  const seen = found.get(key);
  if (seen === undefined) found.set(key, { count: 1, name, by });
  else {
    seen.count += 1;
    if (isOlder(by, seen.by)) Object.assign(seen, { name, by });
  }
}

function isOlder(a: CachedNote, b: CachedNote): boolean {
  return a.createdAt === b.createdAt ? a.id < b.id : a.createdAt < b.createdAt;
}
