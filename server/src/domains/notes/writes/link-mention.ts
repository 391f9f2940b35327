import { deriveNote } from '@notevault/note-text/derive.ts';
import { linkMention } from '@notevault/note-text/link-mention.ts';
import { targetChoices } from '@notevault/note-text/links/retarget.ts';
import { mentionNames } from '@notevault/note-text/mentions.ts';
import { fileStem } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { LinkMention, MentionLinked } from '@notevault/protocol/mentions.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { sealed } from '../sealed-note.ts';
import { editText } from './edit-text.ts';
import { offload } from './offload/offload.ts';
import { isLargeText } from './offload/task-transfer.ts';

/** A note that may be mentioned. */
export interface Mentioned {
  readonly path: string;
  /** Its title and aliases. */
  readonly names: readonly string[];
}

/** Returns the names by which a live note may be mentioned. Throws `note_not_found`, `note_unreadable`. */
export async function mentionedNote({ db, entries }: NoteDeps, vault: OpenVault, id: NoteId): Promise<Mentioned> {
  const [row] = await entries.rowsById(db, vault.id, 'note', [id]);
  if (row === undefined) throw new NotevaultError('note_not_found');
  const { path, title, aliases } = sealed.openMeta(vault, row.id, row.revision, row.meta);
  return { path, names: mentionNames(title, aliases) };
}

/**
 * Makes a link to a note of a place where another mentions it. Throws `text_changed` when that is no mention any more,
 * `note_not_found` for either, and the errors of `editText`.
 */
export async function linkMentionOf(
  deps: NoteDeps,
  context: WriteContext<MentionLinked>,
  id: NoteId,
  source: NoteId,
  { start, text }: Omit<LinkMention, 'note_id'>,
): Promise<MentionLinked> {
  const { vault } = context;
  const { path, names } = await mentionedNote(deps, vault, id);
  const { path: from } = await mentionedNote(deps, vault, source);
  const link = { target: await targetFrom(deps, vault, { id: source, path: from }, { id, path }), path };
  const mention = { names, start, text };
  const edit = async (content: string) => {
    const input = { content, mention, link };
    const linked = isLargeText(content)
      ? await offload(deps, vault, 'linkMention', input, 2 * content.length, { patient: true })
      : linkMention(content, mention, link);
    if (linked === null || id === source) throw new NotevaultError('text_changed');
    return linked;
  };
  return editText(deps, context, source, edit, (note) => {
    return { note_id: source, path: note.path, version: note.version, content_hash: note.content_hash };
  });
}

interface Place {
  readonly id: NoteId;
  readonly path: string;
}

/** The shortest target of a wikilink that leads from one note to another; null when none does. */
async function targetFrom({ db, hooks }: NoteDeps, vault: OpenVault, source: Place, to: Place): Promise<string | null> {
  const at = { source: source.path, target: to.path };
  const choices = targetChoices({ before: at, after: at, form: 'wikilink', target: fileStem(to.path) });
  const { links } = deriveNote(source.path, choices.map((choice) => `[[${choice}]]`).join('\n\n'));
  const resolved = await db.read((handle) => hooks.linksFrom(handle, vault, { ...source, links }));
  const found = resolved.findIndex(({ target_note_id: target }) => target === to.id);
  return links[found]?.target ?? null;
}
