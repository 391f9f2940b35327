import type { RawLink } from '@notevault/note-text/raw-link.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { Tasks } from '../../concurrency/task-worker.ts';
import type { Compute } from '../../concurrency/worker-pool.ts';
import type { YieldIfDue } from '../../concurrency/yield.ts';
import type { Bus } from '../../engines/bus/bus.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { Database, ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { OpenSpool } from '../../engines/spool/spool.ts';
import type { Finish } from '../idempotency/idempotency.ts';
import type { Tree } from '../tree/tree.ts';
import type { HotVaults, OpenVault, Vaults, VaultWriting } from '../vaults/vaults.ts';
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
  /** In a long transaction: work on the links may yield to the event loop. A short one may await its handle alone. */
  readonly mayYield: boolean;
  /** True when the note was not live before: it has no edges yet. */
  readonly fresh: boolean;
  /** Blind keys under which the note came to be found, or is not found any more: edges that ask for them may change. */
  readonly movedKeys: readonly Buffer[];
}

/** What the rooms on the right do inside a note's transactions. */
export interface NoteHooks extends MovingHooks {
  /** Whether so many links are looked up under these keys that resolving them again takes a long transaction. */
  hasManyLinksTo(handle: ReadHandle, vault: OpenVault, keys: readonly Buffer[]): Promise<boolean>;
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

/** A note or attachment that changes its path; attachments have no aliases. */
export interface MovedItem {
  readonly kind: 'note' | 'attachment';
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly aliases: readonly string[];
}
export interface MovedNote extends MovedItem {
  readonly kind: 'note';
  readonly id: NoteId;
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

/** What links must do when notes and attachments move. */
export interface MovingHooks {
  /** Finds out, before the transaction, which notes' links a move may touch. */
  planMove(
    handle: ReadHandle,
    vault: OpenVault,
    moves: readonly MovedItem[],
    yieldIfDue: YieldIfDue,
  ): Promise<LinkPlanner>;
  /** Brings the edges in line, inside the transaction. */
  applyMove(handle: WriteHandle, vault: OpenVault, prepared: PreparedLinks): Promise<void>;
}

/** Works out what a move does to links, of a few notes at a time: all of them together may be more than memory holds. */
export interface LinkPlanner {
  /** Notes whose links the move may touch. */
  readonly sources: readonly NoteId[];
  /** What becomes of the links of some notes. */
  plan(sources: readonly NoteId[]): Promise<LinkMove>;
  /** Makes ready what the move writes of them; `rewritten` are those with new text. Plain data and sealed bytes. */
  prepare(plan: LinkMove, rewritten: ReadonlyMap<NoteId, Rewritten>): Promise<PreparedLinks>;
}

/** An attachment that moves or goes along with notes and folders; only the room of attachments knows more of it. */
export interface HeldFile {
  readonly id: string;
  readonly path: string;
  readonly pathKey: Buffer;
}

/** What is written of attachments in a move or deletion; only their room looks inside. */
export interface PreparedFiles {
  readonly files: 'prepared';
  readonly count: number;
}

/** What the room of attachments does in moves and deletions of folders. */
export interface FileHooks {
  /** Live attachments: those with some ids, and those directly in some folders. Throws `attachment_unreadable`. */
  find(
    handle: ReadHandle,
    vault: OpenVault,
    of: { readonly ids: readonly string[]; readonly folders: readonly string[] },
  ): Promise<HeldFile[]>;
  /** Makes ready what a move writes of them, before the transaction; in the order of the seqs they get. */
  prepareMove(vault: OpenVault, moves: readonly { readonly file: HeldFile; readonly to: string }[]): PreparedFiles;
  /**
   * Writes them under the vault's lock; `first` is the seq of the first of them. False when one has changed since it was
   * found: then nothing may be kept.
   */
  writeMove(
    handle: WriteHandle,
    vault: OpenVault,
    prepared: PreparedFiles,
    first: Seq,
    folderOf: (id: string, old: string | null) => string | null,
  ): Promise<boolean>;
  /** As prepareMove, of their tombstones. */
  prepareBurial(vault: OpenVault, files: readonly HeldFile[]): PreparedFiles;
  /** As writeMove; counts them out of the vault, and lets links and bytes go. Their names are the caller's to give back. */
  writeBurial(handle: WriteHandle, vault: OpenVault, prepared: PreparedFiles, first: Seq): Promise<boolean>;
}

/** What the writes of notes tell the documents in memory, once they are on disk. */
export interface LiveSignals {
  changed(id: NoteId): void;
  deleted(id: NoteId): void;
}

/** What the verbs of this room work with. */
export interface NoteParts {
  readonly db: Database;
  readonly tree: Tree;
  readonly vaults: Pick<Vaults, keyof VaultWriting | 'openForWork'>;
  readonly hot: HotVaults;
  readonly clock: Clock;
  readonly retention: Retention;
  readonly hooks: NoteHooks;
  readonly files: FileHooks;
  readonly live: LiveSignals;
  readonly openSpool: OpenSpool;
  /** Runs what would hold up the event loop. */
  readonly compute: Compute<Tasks>;
}

/** What the documents in memory work with. */
export interface LiveParts extends NoteParts {
  readonly bus: Bus;
  /** Whether no other process uses the database. */
  readonly alone: boolean;
  /** Tells the operator of a fault that no caller hears of. */
  report(error: unknown, labels: { readonly note: NoteId }): void;
}
