import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import type { NoteId, Seq } from '@notevault/protocol/values/ids.ts';

/** A note whose rows were just written: the input for its edges. */
export interface WrittenNote {
  readonly id: NoteId;
  readonly path: string;
  readonly aliases: readonly string[];
  readonly version: number;
  readonly seq: Seq;
  readonly links: readonly ParsedLink[];
  /**
   * Set in a bulk transaction, in which work on links may yield to the event loop. A short one may await only its
   * handle.
   */
  readonly bulk: boolean;
  /**
   * Resolves when the rows are known to be written. What is read before sees them, because statements run in the order
   * of their calls; but nothing that refers to them may be written before.
   */
  readonly rows: Promise<unknown>;
  /** Whether the note was created or revived: it has no edges yet. */
  readonly fresh: boolean;
  /** Blind keys under which the note is newly found or no longer found: edges looked up under them may change. */
  readonly movedKeys: readonly Buffer[];
}
