import type { RawLink } from '@notevault/note-text/raw-link.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { Finish } from '../idempotency/idempotency.ts';
import type { Tree } from '../tree/tree.ts';
import type { OpenVault, VaultWriting } from '../vaults/vaults.ts';
import { deleteNote } from './delete.ts';
import { type Actor, type NoteMeta, sealed } from './meta.ts';
import { type Answer, moveItems, type Top } from './move.ts';
import type { Note, NoteLink, UpsertNote } from './notes.schema.ts';
import * as store from './notes.store.ts';
import { Turns } from './turns.ts';
import { upsertNote } from './upsert.ts';
import { notePathOf, openNote, toNote } from './view.ts';

/** In whose name, into which vault and from which device notes are written. `Result` is what the verb answers. */
export interface Writing<Result = never> {
  readonly vault: OpenVault;
  readonly actor: Actor;
  /** `X-Device-Id`, or null. */
  readonly device: string | null;
  /** Awaited last in the verb's transaction, also when there was nothing to change. */
  readonly finish?: Finish<Result>;
}

/** A note whose rows were just written, as its edges need it. */
export interface WrittenNote {
  readonly id: NoteId;
  readonly path: string;
  readonly version: number;
  readonly seq: Seq;
  readonly links: readonly RawLink[];
  /** True when the note was not live before: it has no edges yet. */
  readonly fresh: boolean;
  /** Blind keys under which the note came to be found, or is not found any more: edges that ask for them may change. */
  readonly movedKeys: readonly Buffer[];
}

/** What the rooms on the right do inside a note's transactions. */
export interface NoteHooks extends MovingHooks {
  /** The note was created, edited or revived. Resolves to its edges. */
  written(handle: WriteHandle, vault: OpenVault, note: WrittenNote): Promise<NoteLink[]>;
  /** The note is live no more; `movedKeys` are those it was found under. */
  deleted(handle: WriteHandle, vault: OpenVault, note: Pick<WrittenNote, 'id' | 'seq' | 'movedKeys'>): Promise<void>;
  /** The edges of a note, as stored. */
  linksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<NoteLink[]>;
}

/** A note that changes its path. */
export interface MovedNote {
  readonly id: NoteId;
  readonly from: string;
  readonly to: string;
  readonly aliases: readonly string[];
}

/** What a move means for links: which texts must change so that every link goes on pointing where it did. */
export interface LinkMove {
  /** New targets by note and place among its links. */
  readonly rewrites: ReadonlyMap<NoteId, readonly { readonly ord: number; readonly target: string }[]>;
}

/** A note whose links were rewritten: its new version and the links now in it. */
export interface Rewritten {
  readonly version: number;
  readonly links: readonly RawLink[];
}

/** What links must do when notes move. */
export interface MovingHooks {
  /** Finds out, before the transaction, what a move does to links. Calls `breathe` often: there may be many. */
  planMove(
    handle: ReadHandle,
    vault: OpenVault,
    moves: readonly MovedNote[],
    breathe: () => Promise<void>,
  ): Promise<LinkMove>;
  /** Brings the edges in line with what was planned, inside the transaction; `rewritten` are the notes whose text changed. */
  applyMove(
    handle: WriteHandle,
    vault: OpenVault,
    plan: LinkMove,
    rewritten: ReadonlyMap<NoteId, Rewritten>,
    seqOf: (id: NoteId) => Seq,
  ): Promise<void>;
}

export interface Notes {
  /** Creates the note or merges into it (contract section 4). Resolves once the note is on disk. */
  upsert(writing: Writing<Note>, input: UpsertNote): Promise<Note>;
  /** Throws `note_not_found`, `note_unreadable`. */
  getByPath(vault: OpenVault, path: string): Promise<Note>;
  getById(vault: OpenVault, id: NoteId): Promise<Note>;
  /** Leaves a tombstone; a path without a note is no error. */
  deleteByPath(writing: Writing, path: string): Promise<void>;
  /** As deleteByPath, but throws `note_not_found`. */
  deleteById(writing: Writing, id: NoteId): Promise<void>;
  /**
   * Moves notes and folders, with all below them, into one folder, in one transaction; links that would come to point
   * elsewhere are rewritten. `answer` makes the result from inside it. Throws `conflict` with `item_id`.
   */
  move<Result>(writing: Writing<Result>, tops: readonly Top[], answer: Answer<Result>): Promise<Result>;
  /** The live note at a path, as far as a move needs it. */
  find(vault: OpenVault, path: string): Promise<Top | null>;
  /** Deletes a slice of a purged vault's notes; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
}

export type { NoteMeta };

/** Opens the sealed part of a note's row, for rooms that read rows by joins. Throws `note_unreadable`. */
export function openNoteMeta(vault: OpenVault, id: string, stamp: number, bytes: Buffer): NoteMeta {
  return sealed.openMeta(vault, id, stamp, bytes);
}

/** What the verbs of this room work with. */
export interface NoteParts {
  readonly db: Database;
  readonly tree: Tree;
  readonly vaults: VaultWriting;
  readonly clock: Clock;
  readonly hooks: NoteHooks;
}

const ERASE_SLICE = 500;

export function createNotes(parts: NoteParts): Notes {
  const { db, tree, hooks } = parts;
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
    deleteByPath: (writing, path) => {
      const pathKey = tree.pathKey(writing.vault, path);
      return turns.take(writing.vault.id, pathKey.toString('hex'), async () => {
        await deleteNote(parts, writing, (handle) =>
          handle.get(store.findByPath, { vault: writing.vault.id, pathKey }),
        );
      });
    },
    deleteById: (writing, id) =>
      turns.take(writing.vault.id, id, async () => {
        const deleted = await deleteNote(parts, writing, (handle) =>
          handle.get(store.findById, { vault: writing.vault.id, id }),
        );
        if (!deleted) throw new NotevaultError('note_not_found');
      }),
    async find(vault, path) {
      const row = await db.get(store.findByPath, { vault: vault.id, pathKey: tree.pathKey(vault, path) });
      return row === undefined ? null : { kind: 'note', id: row.id, from: openNote(vault, row).meta.path, to: path };
    },
    move: (writing, tops, answer) => turns.alone(writing.vault.id, () => moveItems(parts, writing, tops, answer)),
    async eraseSlice(handle, vaultId) {
      return (await handle.run(store.eraseNotes, { vault: vaultId, limit: ERASE_SLICE })) === ERASE_SLICE;
    },
  };
}
