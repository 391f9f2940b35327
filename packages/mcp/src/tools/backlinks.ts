import type { Backlink } from '@notevault/protocol/links.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { chooseNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { inOrder, moreLine, pageOf } from '../paging.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { cutTo } from '../text/tokens.ts';
import { tool } from '../tool.ts';
import { cursor, id, input, path, vault } from './fields.ts';

/** The API returns no more. */
const BACKLINKS_MAX = 200;
/** Maximum tokens of an alias in a list. */
const ALIAS_TOKENS = 200;

export const getBacklinks = tool({
  name: 'get_backlinks',
  title: 'Backlinks of a note',
  description: 'List the notes that link to a note.',
  input: input({ vault, path, id, cursor }),
  rule: operations.listBacklinks,
  async run({ vault: wanted, cursor: from, ...name }, context) {
    const client = await chooseVault(context, wanted);
    const note = await chooseNote(client, name);
    const backlinks = await client.backlinksOf(note.id);
    const page = pageOf(backlinks, from, { keyOf: inOrder, lineOf: backlinkLine, limit: BACKLINKS_MAX });
    const cut = backlinks.length >= BACKLINKS_MAX;
    const structured = {
      notice: DATA_NOTICE,
      vault: client.id,
      id: note.id,
      backlinks: page.items.map(backlinkOf),
      cursor: page.next,
      maybe_more: cut,
    };
    if (backlinks.length === 0) return { parts: ['No note links to it.'], structured };
    const more = cut ? ['There may be more; these are the oldest.'] : [];
    return { parts: [data(page.lines.join('\n')), ...more, ...moreLine(page.next, page.left)], structured };
  },
});

export function backlinkOf({ source_note_id: id, source_path: path, alias, anchor }: Backlink) {
  return { id, path, ...(alias === null ? {} : { alias }), ...(anchor === null ? {} : { anchor }) };
}

export function backlinkLine({ source_path: path, alias }: Backlink): string {
  return `${path ?? '(unreadable note)'}${alias === null ? '' : `  as "${cutTo(alias, ALIAS_TOKENS)}"`}`;
}
