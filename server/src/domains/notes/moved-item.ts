import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';

/** A note or attachment that changes its path; attachments have no aliases. */
export interface MovedItem {
  readonly kind: 'note' | 'attachment';
  readonly id: string;
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
export interface RewrittenNote {
  readonly version: number;
  readonly links: readonly ParsedLink[];
}

/** What a move writes of links; only the links domain looks inside. */
export interface PreparedLinks {
  readonly links: 'prepared';
}
