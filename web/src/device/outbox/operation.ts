import type { VaultTree } from '@notevault/protocol/sync.ts';
import type { PathMove } from '../../data/tree/moves.ts';
import { treeAfterMoves } from '../../data/tree/tree-edit.ts';
import { isEdit } from './entry-facts.ts';

/** A move of an entry; `id` is null for folders, which have none. */
export interface Move extends PathMove {
  readonly id: string | null;
}

/** An entry to delete, as it was known when the person decided. */
export interface Deletion {
  readonly kind: PathMove['kind'];
  readonly id: string | null;
  readonly path: string;
  /**
   * Known state of each note and file in it, by id: see `seenOf`. Null where it is unknown, as for entries with local
   * changes.
   */
  readonly known: Readonly<Record<string, string | null>>;
}

/** A change of a vault that the server still has to make. */
export type Operation =
  | {
      readonly kind: 'note';
      /** Chosen here, so that the note is recognised if the answer was lost. */
      readonly noteId: string;
      readonly path: string;
      /** Initial text. While the draft is open, its document has the text. */
      readonly content: string;
      /** The text that a request was sent with, before there was an answer. */
      readonly attempt: string | null;
      /** The request that was sent last and not answered yet. It is sent again as it was, so that it is done once. */
      readonly unanswered?: { readonly path: string; readonly content: string; readonly mtime: number } | null;
      /** The version that the server made of it, and the text that it has of this device. */
      readonly sent: { readonly version: number; readonly content: string } | null;
      /** Whether something was typed into a note that the server had before: see `isEdit`. */
      readonly isTyped?: boolean;
    }
  | {
      readonly kind: 'file';
      readonly fileId: string;
      readonly path: string;
      readonly bytes: Blob;
      readonly mtime: number;
    }
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'move'; readonly moves: readonly Move[] }
  | { readonly kind: 'delete'; readonly deleted: readonly Deletion[] }
  | { readonly kind: 'restore'; readonly ids: readonly string[]; readonly path: string };

/** Why the server, or this device, did not do it. */
export type Problem =
  /** Something else is at the path. */
  | { readonly reason: 'taken'; readonly path: string }
  /** The item was deleted elsewhere. */
  | { readonly reason: 'gone'; readonly path: string }
  /** The item was renamed or moved elsewhere. */
  | { readonly reason: 'moved'; readonly path: string }
  /** The item was changed elsewhere after its deletion was requested here. */
  | { readonly reason: 'changed'; readonly path: string }
  | { readonly reason: 'refused'; readonly status: number; readonly body: Readonly<Record<string, unknown>> };

/** An operation that waits for the server. */
export interface OutboxEntry {
  readonly id: string;
  readonly vault: string;
  /** Its place in the order, in which entries are sent. */
  readonly order: number;
  readonly operation: Operation;
  readonly problem: Problem | null;
  /** Last transient error of the server; the operation is retried automatically. */
  readonly delay?: Problem;
  /** Whether it was sent: from then on the server may have done it. */
  readonly isTried: boolean;
  /** Whether the tab in which it was asked for does it by itself, as it uploads files; if that tab is gone, it waits. */
  readonly isBegun?: boolean;
  /** Whether somebody decided that it is to be done although something changed elsewhere. */
  readonly isForced: boolean;
  /** When the server acknowledged it, in epoch milliseconds; a note's entry stays until no tab shows its draft. */
  readonly doneAt: number | null;
}

/** The path that names an operation in lists. */
export function pathOf(operation: Operation): string {
  if (operation.kind === 'move') return operation.moves[0]?.to ?? '';
  return operation.kind === 'delete' ? (operation.deleted[0]?.path ?? '') : operation.path;
}

/** The place after all entries. */
export function nextOrder(entries: readonly OutboxEntry[]): number {
  return Math.max(0, ...entries.map(({ order }) => order)) + 1;
}

/**
 * The entries with one more operation at their end. What takes back or goes on with something that still waits changes
 * that instead: a note that is deleted before it was sent is never sent.
 *
 * @param isOwn whether an entry may be changed: it may not where another tab could send it as it was.
 */
export function withOperation(
  entries: readonly OutboxEntry[],
  added: { readonly id: string; readonly vault: string; readonly operation: Operation },
  isOwn: (entry: OutboxEntry) => boolean = () => true,
): readonly OutboxEntry[] {
  const { vault, operation } = added;
  const waits = (entry: OutboxEntry) => entry.vault === vault && !entry.isTried && isOwn(entry);
  const order = nextOrder(entries);
  const append = (rest: readonly OutboxEntry[], left: Operation) => [
    ...rest,
    { ...added, operation: left, order, problem: null, isTried: false, isForced: false, doneAt: null },
  ];
  if (operation.kind === 'delete') return withDeletion(entries, waits, operation.deleted, append);
  if (operation.kind === 'move' && operation.moves.length === 1) {
    const [move] = operation.moves;
    const last = entries.findLast((entry) => waits(entry) && concerns(entry.operation, move));
    const continued = move === undefined || last === undefined ? null : continuedBy(last.operation, move);
    if (last !== undefined && continued !== null) {
      const changed = entries.map((entry) =>
        entry === last ? { ...entry, operation: continued, problem: null } : entry,
      );
      return changed.filter(({ operation: one }) => !isNothing(one));
    }
  }
  return append(entries, operation);
}

/** Deletes what only waits to be made here, and leaves the rest to the server. */
function withDeletion(
  entries: readonly OutboxEntry[],
  waits: (entry: OutboxEntry) => boolean,
  deleted: readonly Deletion[],
  append: (rest: readonly OutboxEntry[], left: Operation) => readonly OutboxEntry[],
): readonly OutboxEntry[] {
  const unmade = new Set<string>();
  // The file at its path on the server is another one.
  const isRejected = ({ operation, problem }: OutboxEntry) => operation.kind === 'file' && problem?.reason === 'taken';
  for (const { operation } of entries.filter((entry) => waits(entry) || isRejected(entry))) {
    // After an attempt, the server may have it.
    if (operation.kind === 'note' && operation.attempt === null && operation.sent === null)
      unmade.add(operation.noteId);
    if (operation.kind === 'file') unmade.add(operation.fileId);
  }
  const gone = new Set(deleted.flatMap(({ known }) => Object.keys(known)));
  const isGone = (id: string | null) => id !== null && gone.has(id);
  const rest = entries.flatMap((entry) => {
    const { operation } = entry;
    if (operation.kind === 'file' && unmade.has(operation.fileId) && isGone(operation.fileId)) return [];
    if (!waits(entry)) return [entry];
    if (operation.kind === 'note' && unmade.has(operation.noteId) && isGone(operation.noteId)) return [];
    if (operation.kind !== 'move') return [entry];
    // A deletion needs no move before it: it finds the entry by its id.
    const moves = operation.moves.filter(({ id }) => !isGone(id));
    return moves.length === 0
      ? []
      : [moves.length === operation.moves.length ? entry : { ...entry, operation: { ...operation, moves } }];
  });
  const left = deleted.filter(({ id }) => id === null || !unmade.has(id));
  return left.length === 0 ? rest : append(rest, { kind: 'delete', deleted: left });
}

function concerns(operation: Operation, move: Move | undefined): boolean {
  if (move === undefined) return false;
  if (operation.kind === 'note') return operation.noteId === move.id;
  if (operation.kind === 'file') return operation.fileId === move.id;
  // A folder that moves has taken along what is below it.
  if (operation.kind === 'move')
    return operation.moves.some(({ id, kind, to }) =>
      kind === 'folder' ? isAt(move.from, to) || isAt(to, move.from) : id === move.id || isAt(to, move.from),
    );
  return operation.kind === 'folder' ? isAt(operation.path, move.from) || isAt(move.from, operation.path) : false;
}

/** Merges a move into the operation that created or moved the same entry; null if it must stay a separate step. */
function continuedBy(operation: Operation, { id, kind, from, to }: Move): Operation | null {
  if (operation.kind === 'note' && operation.noteId === id && operation.path === from && !isEdit(operation)) {
    return { ...operation, path: to };
  }
  if (operation.kind === 'file' && operation.fileId === id && operation.path === from)
    return { ...operation, path: to };
  if (operation.kind === 'folder' && kind === 'folder' && operation.path === from) return { ...operation, path: to };
  const [only] = operation.kind === 'move' ? operation.moves : [];
  if (operation.kind !== 'move' || operation.moves.length !== 1 || only?.kind !== kind || only.to !== from) return null;
  return { ...operation, moves: [{ ...only, to }] };
}

function isNothing(operation: Operation): boolean {
  return operation.kind === 'move' && operation.moves.every(({ from, to }) => from === to);
}

/** Whether a path is another one or below it. */
export function isAt(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}/`);
}

/** Whether one operation can only be done after another: it is about the same note, file or place. */
export function needs(operation: Operation, earlier: Operation): boolean {
  const [one, other] = [subjectOf(operation), subjectOf(earlier)];
  if (one.ids.some((id) => other.ids.includes(id))) return true;
  return one.paths.some((path) => other.paths.some((place) => isAt(path, place) || isAt(place, path)));
}

function subjectOf(operation: Operation): { readonly ids: readonly string[]; readonly paths: readonly string[] } {
  switch (operation.kind) {
    case 'note':
      return { ids: [operation.noteId], paths: [operation.path] };
    case 'file':
      return { ids: [operation.fileId], paths: [operation.path] };
    case 'folder':
      return { ids: [], paths: [operation.path] };
    case 'move':
      return {
        ids: operation.moves.flatMap(({ id }) => id ?? []),
        paths: operation.moves.flatMap(({ from, to }) => [from, to]),
      };
    case 'delete':
      return {
        ids: operation.deleted.flatMap(({ known }) => Object.keys(known)),
        paths: operation.deleted.map(({ path }) => path),
      };
    case 'restore':
      return { ids: operation.ids, paths: [] };
  }
}

/** Returns the tree of a vault with all pending entries applied; the same object if they change nothing. */
export function treeWith(tree: VaultTree, entries: readonly OutboxEntry[], now: () => string): VaultTree {
  return entries.reduce(
    (before, { operation, doneAt, isBegun }) =>
      doneAt === null && isBegun !== true ? treeAfter(before, operation, now) : before,
    tree,
  );
}

function treeAfter(tree: VaultTree, operation: Operation, now: () => string): VaultTree {
  switch (operation.kind) {
    case 'note': {
      const { noteId: id, path } = operation;
      if (tree.notes.some((note) => note.id === id)) return tree;
      const at = now();
      return { ...tree, notes: [...tree.notes, { id, path, created_at: at, updated_at: at }] };
    }
    case 'file': {
      const { fileId: id, path, bytes, mtime } = operation;
      if (tree.attachments.some((file) => file.id === id || file.path === path)) return tree;
      const file = { id, path, size_bytes: bytes.size, mtime, updated_at: now(), mime_type: bytes.type || null };
      return { ...tree, attachments: [...tree.attachments, file] };
    }
    case 'folder': {
      if (tree.folders.some(({ name }) => name === operation.path)) return tree;
      return { ...tree, folders: [...tree.folders, { id: null, parent_id: null, name: operation.path, count: 0 }] };
    }
    case 'move': {
      const moves = operation.moves
        .map((move) => ({ ...move, from: currentPath(tree, move) }))
        .filter(({ kind, from, to }) => from !== to && (kind !== 'folder' || hasFolder(tree, from)));
      return moves.length === 0 ? tree : treeAfterMoves(tree, moves);
    }
    case 'delete': {
      const ids = new Set(operation.deleted.flatMap(({ known }) => Object.keys(known)));
      const paths = operation.deleted.flatMap(({ kind, path }) => (kind === 'folder' ? [path] : []));
      const folders = tree.folders.filter(({ name }) => !paths.some((path) => isAt(name, path)));
      const notes = tree.notes.filter(({ id }) => !ids.has(id));
      const attachments = tree.attachments.filter(({ id }) => !ids.has(id));
      const left = folders.length + notes.length + attachments.length;
      const isSame = left === tree.folders.length + tree.notes.length + tree.attachments.length;
      return isSame ? tree : { ...tree, folders, notes, attachments };
    }
    case 'restore':
      return withRestored(tree, operation);
  }
}

/** Adds an entry that is restored from the trash. Several at once are skipped: their paths are not known here. */
function withRestored(tree: VaultTree, { ids, path }: Extract<Operation, { kind: 'restore' }>): VaultTree {
  const [id] = ids;
  if (path === '' || id === undefined || [...tree.notes, ...tree.attachments].some((row) => row.id === id)) return tree;
  const at = new Date(0).toISOString();
  if (/\.md$/i.test(path)) return { ...tree, notes: [...tree.notes, { id, path, created_at: at, updated_at: at }] };
  const file = { id, path, size_bytes: 0, mtime: 0, updated_at: at, mime_type: null };
  return { ...tree, attachments: [...tree.attachments, file] };
}

/** Whether a folder is in a tree, or something in it. */
export function hasFolder(tree: VaultTree, path: string): boolean {
  const below = [...tree.notes, ...tree.attachments].some((row) => row.path.startsWith(`${path}/`));
  return below || tree.folders.some(({ name }) => isAt(name, path));
}

/** Returns the current path of a moved item; notes and files are found by id. */
function currentPath(tree: VaultTree, { kind, id, from }: Move): string {
  const rows = kind === 'note' ? tree.notes : kind === 'attachment' ? tree.attachments : [];
  return rows.find((row) => row.id === id)?.path ?? from;
}
