import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';

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
