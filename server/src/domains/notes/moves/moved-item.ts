import type { ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';

/** A note or attachment that changes its path; attachments have no aliases. */
export interface MovedItem {
  readonly kind: 'note' | 'attachment';
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly aliases: readonly string[];
}

/** How a move affects links: the texts that must change so that every link keeps its target. */
export interface LinkMove {
  /** New targets by note and position among its links. */
  readonly rewrites: ReadonlyMap<NoteId, readonly { readonly ord: number; readonly target: string }[]>;
}

/** A note with rewritten links: its new version and its links. */
export interface RewrittenNote {
  readonly version: number;
  readonly links: readonly ParsedLink[];
}

/** What a move writes for links; opaque outside the links domain. */
export interface PreparedLinks {
  readonly links: 'prepared';
}
