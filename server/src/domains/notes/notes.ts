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
export interface NoteHooks {
  /** The note was created, edited or revived. Resolves to its edges. */
  written(handle: WriteHandle, vault: OpenVault, note: WrittenNote): Promise<NoteLink[]>;
  /** The note is live no more; `movedKeys` are those it was found under. */
  deleted(handle: WriteHandle, vault: OpenVault, note: Pick<WrittenNote, 'id' | 'seq' | 'movedKeys'>): Promise<void>;
  /** The edges of a note, as stored. */
  linksOf(handle: ReadHandle, vault: OpenVault, id: NoteId): Promise<NoteLink[]>;
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
  const turnOf = (vault: OpenVault, pathKey: Buffer) => `${vault.id}:${pathKey.toString('base64')}`;

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
      return turns.take(turnOf(writing.vault, pathKey), () => upsertNote(parts, writing, { ...input, path, pathKey }));
    },
    getByPath: (vault, path) =>
      read(vault, (handle) => handle.get(store.findByPath, { vault: vault.id, pathKey: tree.pathKey(vault, path) })),
    getById: (vault, id) => read(vault, (handle) => handle.get(store.findById, { vault: vault.id, id })),
    deleteByPath: (writing, path) => {
      const pathKey = tree.pathKey(writing.vault, path);
      return turns.take(turnOf(writing.vault, pathKey), async () => {
        await deleteNote(parts, writing, (handle) =>
          handle.get(store.findByPath, { vault: writing.vault.id, pathKey }),
        );
      });
    },
    async deleteById(writing, id) {
      const deleted = await deleteNote(parts, writing, (handle) =>
        handle.get(store.findById, { vault: writing.vault.id, id }),
      );
      if (!deleted) throw new NotevaultError('note_not_found');
    },
    async eraseSlice(handle, vaultId) {
      return (await handle.run(store.eraseNotes, { vault: vaultId, limit: ERASE_SLICE })) === ERASE_SLICE;
    },
  };
}
