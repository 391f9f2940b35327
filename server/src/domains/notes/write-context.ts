import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { InTransaction } from '../idempotency/idempotency.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { Actor } from './sealed-note.ts';

/** In whose name, into which vault and from which device notes are written. `Result` is what the operation answers. */
export interface WriteContext<Result = never> {
  readonly vault: OpenVault;
  readonly actor: Actor;
  /** `X-Device-Id`, or null. */
  readonly device: string | null;
  /** Awaited last in the operation's transaction, also when there was nothing to change. */
  readonly inTransaction?: InTransaction<Result>;
}

/** A note whose rows were just written, as its edges need it. */
export interface WrittenNote {
  readonly id: NoteId;
  readonly path: string;
  readonly version: number;
  readonly seq: Seq;
  readonly links: readonly ParsedLink[];
  /** In a long transaction: work on the links may yield to the event loop. A short one may await its handle alone. */
  readonly mayYield: boolean;
  /** True when the note was not live before: it has no edges yet. */
  readonly fresh: boolean;
  /** Blind keys under which the note came to be found, or is not found any more: edges that ask for them may change. */
  readonly movedKeys: readonly Buffer[];
}
