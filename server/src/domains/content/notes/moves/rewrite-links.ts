import { applyEdits } from '@notevault/note-text/diff/diff.ts';
import { type LinkChange, relink } from '@notevault/note-text/links/relink.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { WriteContext } from '../../entries/entries.ts';
import { editDocument, snapshotOf } from '../merge/document.ts';
import { buildNoteRow, clientIdOf, openDocument } from '../writes/build-note-row.ts';
import type { NoteRowDraft, StoredNoteContent } from '../writes/write-target.ts';

/** A note whose links get new targets. */
export interface Rewrite {
  readonly note: StoredNoteContent;
  /** The document, still sealed; null when it is still its seed. */
  readonly doc: Buffer | null;
  /** The note's path after the move, and its blind index. */
  readonly to: string;
  readonly pathKey: Buffer;
  readonly rewrites: readonly LinkChange[];
}

/** Builds the next version with new link targets as an edit of the document, so that open editors continue in it. */
export function rewriteLinks(
  now: number,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  { note, doc: sealedDoc, to, pathKey, rewrites }: Rewrite,
): NoteRowDraft {
  const { vault } = context;
  const edits = relink(note.meta.path, note.content, rewrites);
  const doc = openDocument(vault, note, sealedDoc);
  const before = snapshotOf(doc);
  editDocument(doc, clientIdOf(vault, note), edits);
  const text = applyEdits(note.content, edits);
  const resolved = { path: to, pathKey, nearest: null, blocked: null };
  const target = { kind: 'live' as const, id: note.id as NoteId, resolved, note, doc: sealedDoc };
  return buildNoteRow(now, context, target, { mtime: now / 1000 }, doc, before, text, 'link_rewrite');
}
