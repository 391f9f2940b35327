import type { Backlink } from '@notevault/protocol/links.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import type { NoteMeta } from '../notes/notes.ts';
import type { Target } from './link-resolver.ts';
import type { LinkText } from './link-texts.ts';

export function toNoteLink(text: LinkText, target: Target): NoteLink {
  return {
    target_text: text.target,
    link_type: text.embed ? 'embed' : 'wikilink',
    dangling: target.note === null && target.attachment === null,
    alias: text.alias,
    anchor: text.anchor,
    target_note_id: target.note,
    target_attachment_id: target.attachment,
    target_path: target.path,
  };
}

/** Maps a link from another note to the wire; `meta` or `text` is null when that note is damaged. */
export function toBacklink(source: string, meta: NoteMeta | null, text: LinkText | null): Backlink {
  return {
    source_note_id: source,
    source_path: meta?.path ?? null,
    source_title: meta?.title ?? null,
    alias: text?.alias ?? null,
    anchor: text?.anchor ?? null,
  };
}
