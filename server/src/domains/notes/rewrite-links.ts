import { applyEdits } from '@notevault/note-text/diff.ts';
import { relink } from '@notevault/note-text/relink.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { KeptNote } from './basis.ts';
import { editDocument, snapshotOf } from './document.ts';
import type { Writing } from './parts.ts';
import { clientIdOf, openDocument, type Prepared, prepared } from './prepare.ts';

/** A note whose links get new targets. */
export interface Rewrite {
  readonly note: KeptNote;
  /** The document, still sealed; null for one that is still its seed. */
  readonly doc: Buffer | null;
  /** The note's path after the move, and its blind index. */
  readonly to: string;
  readonly pathKey: Buffer;
  readonly rewrites: readonly { readonly ord: number; readonly target: string }[];
}

/** The note's next version, in which links have their new targets: an edit of the document, so that typing goes on in it. */
export function rewriteLinks(
  parts: { readonly clock: Pick<Clock, 'now'> },
  writing: Pick<Writing, 'vault' | 'actor'>,
  { note, doc: sealedDoc, to, pathKey, rewrites }: Rewrite,
): Prepared {
  const { vault } = writing;
  const edits = relink(note.meta.path, note.content, rewrites);
  const doc = openDocument(vault, note, sealedDoc);
  const before = snapshotOf(doc);
  editDocument(doc, clientIdOf(vault, note), edits);
  const text = applyEdits(note.content, edits);
  const spot = { path: to, pathKey, anchor: null, blocked: null };
  const basis = { kind: 'live' as const, id: note.id as NoteId, spot, note, doc: sealedDoc };
  return prepared(parts, writing, basis, { mtime: parts.clock.now() / 1000 }, doc, before, text, 'link_rewrite');
}
