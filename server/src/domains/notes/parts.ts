import type { RawLink } from '@notevault/note-text/raw-link.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { Finish } from '../idempotency/idempotency.ts';
import type { Tree } from '../tree/tree.ts';
import type { OpenVault, VaultWriting } from '../vaults/vaults.ts';
import type { Actor } from './meta.ts';
import type { NoteLink } from './notes.schema.ts';
import type { Retention } from './thinning.ts';

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
  /** As `written`, of several notes that were not live before. */
  writtenTogether(handle: WriteHandle, vault: OpenVault, notes: readonly WrittenNote[]): Promise<void>;
  /** The notes are live no more; `movedKeys` are those each was found under. */
  deleted(
    handle: WriteHandle,
    vault: OpenVault,
    notes: readonly Pick<WrittenNote, 'id' | 'movedKeys'>[],
  ): Promise<void>;
  /** Throws `note_unreadable` when what is stored of one of the notes' links is damaged. */
  checkReadable(handle: ReadHandle, vault: OpenVault, ids: readonly NoteId[]): Promise<void>;
  /** The edges that the links of a text would have as the vault is now; nothing is written. */
  linksFrom(
    handle: ReadHandle,
    vault: OpenVault,
    note: Pick<WrittenNote, 'id' | 'path' | 'links'>,
  ): Promise<NoteLink[]>;
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

/** What a move writes of links; only the room of links looks inside. */
export interface PreparedLinks {
  readonly links: 'prepared';
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
  /** Makes ready what the move writes of links, still before the transaction; `rewritten` are the notes with new text. */
  prepareMove(
    vault: OpenVault,
    plan: LinkMove,
    rewritten: ReadonlyMap<NoteId, Rewritten>,
    breathe: () => Promise<void>,
  ): Promise<PreparedLinks>;
  /** Brings the edges in line, inside the transaction. */
  applyMove(handle: WriteHandle, vault: OpenVault, prepared: PreparedLinks): Promise<void>;
}

/** What the verbs of this room work with. */
export interface NoteParts {
  readonly db: Database;
  readonly tree: Tree;
  readonly vaults: VaultWriting;
  readonly clock: Clock;
  readonly retention: Retention;
  readonly hooks: NoteHooks;
}
