import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { LinksLeft } from '@notevault/protocol/links.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { nameOf, parentOf } from '../../data/tree/tree-index.ts';
import { seenOf } from './entry-facts.ts';
import {
  type Deletion,
  hasFolder,
  isAt,
  type Move,
  type Operation,
  type OutboxEntry,
  type Problem,
} from './operation.ts';

/** Vault operations that replaying the outbox needs. */
export type OutboxVault = Pick<
  VaultClient,
  | 'tree'
  | 'upsertNote'
  | 'readNoteById'
  | 'versionsOf'
  | 'readVersion'
  | 'putAttachment'
  | 'createFolder'
  | 'renameNote'
  | 'renameAttachment'
  | 'renameFolder'
  | 'moveNotes'
  | 'deleteNotes'
  | 'deleteAttachment'
  | 'deleteFolder'
  | 'restoreFromTrash'
>;

export interface Replay {
  readonly vault: OutboxVault;
  /** Whether the operation was asked for a moment ago: the tree that it was made from is that of the server. */
  readonly isFresh: boolean;
  /** The text of a new note as it is now. */
  textOf(noteId: string, begun: string): Promise<string>;
  /** Stores the progress of an unfinished operation before its next request. */
  record(operation: Operation): Promise<void>;
  /** SHA-256 of bytes as lower-case hex; null where browsers do not compute it. */
  hashOf(bytes: Blob): Promise<string | null>;
}

/** How an attempt ended. */
export type Outcome =
  /**
   * The server has done it, now or at an earlier attempt; `id` is the one that the server gave, if it is another one, and
   * `linksLeft` the links that no longer lead to what moved.
   */
  | { readonly type: 'done'; readonly id?: string; readonly linksLeft?: readonly LinksLeft[] }
  | { readonly type: 'problem'; readonly problem: Problem };

const DONE: Outcome = { type: 'done' };
/** Maximum ids per request. */
const BATCH = 1000;

/** Whether an error may pass by itself. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return (
    error instanceof ApiError &&
    (error.status >= 500 || error.status === 429 || error.status === 408 || error.code === 'request_in_progress')
  );
}

/**
 * Returns the problem of a transient error that will last a while, to be shown to the user; undefined for every other
 * error.
 */
export function delayOf(error: unknown): Problem | undefined {
  if (!(error instanceof ApiError) || error.code !== 'storage_full') return undefined;
  return { reason: 'refused', status: error.status, body: error.body };
}

function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && !isTransient(error);
}

/**
 * Replays an operation idempotently, at any later time. Throws transient errors, after which the server may have
 * carried it out.
 */
export async function replay(entry: OutboxEntry, deps: Replay): Promise<Outcome> {
  const { operation } = entry;
  try {
    switch (operation.kind) {
      case 'note':
        return await sendNote(operation, entry.isForced, deps);
      case 'file':
        return await sendFile(operation, deps);
      case 'folder':
        await deps.vault.createFolder(operation.path);
        return DONE;
      case 'move':
        return await sendMoves(operation.moves, entry.isForced, deps);
      case 'delete':
        return await sendDeletions(operation.deleted, entry.isForced, deps);
      case 'restore':
        return await sendRestores(operation, deps);
    }
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return refusal(error, operation);
  }
}

function refusal({ status, body }: ApiError, operation: Operation): Outcome {
  const path = operation.kind === 'move' || operation.kind === 'delete' ? '' : operation.path;
  const to = operation.kind === 'move' ? (operation.moves[0]?.to ?? '') : path;
  if (status === 409) return problem('taken', to);
  if (status === 404 && operation.kind === 'restore') return problem('gone', path);
  return { type: 'problem', problem: { reason: 'refused', status, body } };
}

function problem(reason: Exclude<Problem['reason'], 'refused'>, path: string): Outcome {
  return { type: 'problem', problem: { reason, path } };
}

type NoteOperation = Extract<Operation, { kind: 'note' }>;
type SentVersion = NonNullable<NoteOperation['sent']>;
type Request = NonNullable<NoteOperation['unanswered']> & { readonly id: string };

/** Creates a note under its local id. Text typed since the first attempt follows as an edit. */
async function sendNote(operation: NoteOperation, isForced: boolean, deps: Replay): Promise<Outcome> {
  const { vault, record, textOf } = deps;
  const { noteId, content } = operation;
  let made = operation;
  /**
   * Records the request, with the time of an earlier attempt: only an identical request has the same idempotency key.
   */
  const begin = async (path: string, text: string): Promise<Request> => {
    const known = made.unanswered;
    if (known?.path === path && known.content === text) return { id: noteId, ...known };
    const unanswered = { path, content: text, mtime: Date.now() / 1000 };
    made = { ...made, attempt: made.sent === null ? text : made.attempt, unanswered };
    await record(made);
    return { id: noteId, ...unanswered };
  };
  if (made.sent === null) {
    const request = await begin(made.path, made.attempt ?? (await textOf(noteId, content)));
    const outcome = await createNote(request, vault);
    if ('type' in outcome) return outcome;
    made = { ...made, sent: outcome, unanswered: null };
    await record(made);
  }
  for (;;) {
    const { sent, unanswered } = made;
    // A request that may still arrive is repeated before newer text is sent: after a deletion, it would bring the note
    // back.
    const text = unanswered?.content ?? (await textOf(noteId, content));
    if (sent === null || text === sent.content) return DONE;
    const { path } = (await vault.readNoteById(noteId)) ?? { path: null };
    if (path === null) return problem('gone', made.path);
    // Always an edit of what was made: the server compares each of them by itself, so that none doubles another.
    const request = await begin(path, text);
    try {
      await vault.upsertNote({ ...request, version: sent.version });
    } catch (error) {
      // The version is no longer known, so that nothing can be merged: what is there stays as a version, if it is replaced.
      if (!(error instanceof ApiError) || error.code !== 'version_conflict') throw error;
      if (!isForced) return problem('changed', path);
      await vault.upsertNote(request);
    }
    made = { ...made, sent: { version: sent.version, content: text }, unanswered: null };
    await record(made);
  }
}

async function createNote(request: Request, vault: OutboxVault): Promise<SentVersion | Outcome> {
  const { id: noteId, path, content: attempt } = request;
  try {
    // There never is a version 0: a text that somebody else has put there is not replaced.
    const note = await vault.upsertNote({ ...request, version: 0 });
    if (note.id === noteId) return { version: note.version, content: attempt };
    // The same text was there already, or the id is used by something that is not to be told.
    return note.content === attempt ? { type: 'done', id: note.id } : problem('taken', path);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const note = await vault.readNoteById(noteId);
    if (note === null) return problem('taken', path);
    // An earlier attempt has made it, and somebody has changed or moved it since.
    return note.content === attempt ? { version: note.version, content: attempt } : versionWith(noteId, attempt, vault);
  }
}

/**
 * Returns the version of a note that has a text, else the oldest: the attempt that created the note was not recorded,
 * so its text is unknown, and the current text follows as an edit of the oldest version.
 */
async function versionWith(noteId: string, text: string, vault: OutboxVault): Promise<SentVersion> {
  let oldest: SentVersion = { version: 1, content: '' };
  for (const { version } of (await vault.versionsOf(noteId)).toReversed()) {
    const content = (await vault.readVersion(noteId, version))?.content ?? '';
    if (content === text) return { version, content };
    if (oldest.content === '') oldest = { version, content };
  }
  return oldest;
}

type FileOperation = Extract<Operation, { kind: 'file' }>;

async function sendFile({ path, bytes, mtime, fileId }: FileOperation, { vault, hashOf }: Replay): Promise<Outcome> {
  try {
    const { id } = await vault.putAttachment(path, { bytes: () => bytes, mtime, over: null });
    return id === fileId ? DONE : { type: 'done', id };
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    const there = error.body.server_attachment as { id?: unknown; content_hash?: unknown } | null | undefined;
    const isThere = typeof there?.id === 'string' && there.content_hash === (await hashOf(bytes));
    return isThere ? { type: 'done', id: String(there.id) } : problem('taken', path);
  }
}

async function sendMoves(moves: readonly Move[], isForced: boolean, { vault, isFresh }: Replay): Promise<Outcome> {
  const movesLeft = async () => {
    const tree = await vault.tree();
    return moves.flatMap((move) => moveNow(tree, move, isForced) ?? []);
  };
  const left = isFresh ? moves : await movesLeft();
  const stopped = left.find((move) => 'reason' in move);
  if (stopped !== undefined) return { type: 'problem', problem: stopped };
  try {
    const linksLeft = await moveEach(
      left.filter((move) => 'from' in move),
      vault,
    );
    return linksLeft.length === 0 ? DONE : { type: 'done', linksLeft };
  } catch (error) {
    // An attempt whose tab was closed may have been carried out only now.
    if (!isRefusal(error) || (await movesLeft()).length > 0) throw error;
  }
  return DONE;
}

/** Returns the part of a move that the server's tree still lacks; null if the move is done. */
function moveNow(tree: VaultTree, move: Move, isForced: boolean): Move | Problem | null {
  const { kind, id, from, to } = move;
  if (kind === 'folder') {
    if (hasFolder(tree, from)) return move;
    return hasFolder(tree, to) ? null : { reason: 'gone', path: from };
  }
  const row = rowOf(tree, { kind, id, path: from });
  if (row === undefined) return { reason: 'gone', path: from };
  if (row.path === to) return null;
  return row.path === from || isForced ? { ...move, from: row.path } : { reason: 'moved', path: row.path };
}

/** A note or file in a tree. A file that was added here is shown under an id of its own until the tree was read again. */
function rowOf(tree: VaultTree, { kind, id, path }: Pick<Deletion, 'kind' | 'id' | 'path'>) {
  if (kind === 'note') return tree.notes.find((one) => one.id === id);
  return tree.attachments.find((one) => one.id === id) ?? tree.attachments.find((one) => one.path === path);
}

/**
 * Moves notes that keep their names in batches, everything else one by one; resolves to the links that no longer lead
 * there.
 */
async function moveEach(moves: readonly Move[], vault: OutboxVault): Promise<LinksLeft[]> {
  const left: LinksLeft[] = [];
  const add = (moved: { links_left?: LinksLeft[] }) => left.push(...(moved.links_left ?? []));
  const batches = new Map<string, string[]>();
  const single: Move[] = [];
  for (const move of moves) {
    const folder = parentOf(move.to);
    const inBatch =
      move.kind === 'note' && move.id !== null && moves.length > 1 && nameOf(move.from) === nameOf(move.to);
    if (inBatch && move.id !== null) batches.set(folder, [...(batches.get(folder) ?? []), move.id]);
    else single.push(move);
  }
  for (const [folder, ids] of batches) {
    for (let at = 0; at < ids.length; at += BATCH) add(await vault.moveNotes(ids.slice(at, at + BATCH), folder));
  }
  // One after the other: a folder may move into one that moves too.
  for (const { kind, from, to } of single) {
    if (kind === 'note') add(await vault.renameNote(from, to));
    else if (kind === 'folder') add(await vault.renameFolder(from, to));
    else add(await vault.renameAttachment(from, to));
  }
  return left;
}

/** Deletes the entries that still exist and were not changed since the person decided. */
async function sendDeletions(deleted: readonly Deletion[], isForced: boolean, deps: Replay): Promise<Outcome> {
  const { vault, isFresh } = deps;
  const tree = isFresh ? null : await vault.tree();
  const changed = tree === null || isForced ? undefined : await changedSince(tree, deleted, vault);
  if (changed !== undefined) return problem('changed', changed);
  try {
    await deleteEach(tree === null ? deleted : stillThere(tree, deleted), vault);
  } catch (error) {
    // As with moves, it may have been done by now.
    if (!isRefusal(error) || stillThere(await vault.tree(), deleted).length > 0) throw error;
  }
  return DONE;
}

/** The path of something that is not as it was when its deletion was decided. */
async function changedSince(
  tree: VaultTree,
  deleted: readonly Deletion[],
  vault: OutboxVault,
): Promise<string | undefined> {
  for (const { kind, path, known } of deleted) {
    for (const row of [...tree.notes, ...tree.attachments]) {
      const seen = known[row.id];
      const isNew = seen === undefined && kind === 'folder' && isAt(row.path, path);
      const isOther = typeof seen === 'string' && seen !== seenOf(row);
      if (isNew || (isOther && ('size_bytes' in row || (await hasNewText(row.id, seen, vault))))) return row.path;
    }
  }
  return undefined;
}

/** Whether somebody wrote into a note after a time. It changes also when it is renamed, and when a link in it follows another. */
async function hasNewText(id: string, since: string, vault: OutboxVault): Promise<boolean> {
  const versions = await vault.versionsOf(id);
  return versions.some(({ created_at, reason }) => created_at > since && reason !== 'link_rewrite');
}

function stillThere(tree: VaultTree, deleted: readonly Deletion[]): readonly Deletion[] {
  return deleted.flatMap((one) => {
    if (one.id === null) return hasFolder(tree, one.path) ? [one] : [];
    const row = rowOf(tree, one);
    return row === undefined ? [] : [{ ...one, id: row.id, path: row.path }];
  });
}

async function deleteEach(deleted: readonly Deletion[], vault: OutboxVault): Promise<void> {
  const notes = deleted.flatMap(({ kind, id }) => (kind === 'note' && id !== null ? [id] : []));
  for (let at = 0; at < notes.length; at += BATCH) await vault.deleteNotes(notes.slice(at, at + BATCH));
  for (const { kind, path } of deleted) {
    if (kind === 'attachment') await vault.deleteAttachment(path);
    // A folder that was in another deleted one is gone already, which the server answers like success.
    else if (kind === 'folder') await vault.deleteFolder(path, { recursive: true });
  }
}

type RestoreOperation = Extract<Operation, { kind: 'restore' }>;

async function sendRestores({ ids, path }: RestoreOperation, { vault, isFresh }: Replay): Promise<Outcome> {
  const tree = isFresh ? null : await vault.tree();
  const live = new Set(tree === null ? [] : [...tree.notes, ...tree.attachments].map(({ id }) => id));
  let refused: Outcome = DONE;
  for (const id of ids) {
    if (live.has(id)) continue;
    try {
      await vault.restoreFromTrash(id);
    } catch (error) {
      // The others can still be restored.
      if (!isRefusal(error)) throw error;
      const { notes, attachments } = await vault.tree();
      // As with moves, it may have been done by now.
      if ([...notes, ...attachments].some((row) => row.id === id)) continue;
      refused = error.status === 409 ? problem('taken', path) : problem('gone', path);
    }
  }
  return refused;
}
