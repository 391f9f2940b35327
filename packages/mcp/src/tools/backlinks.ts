import type { Backlink } from '@notevault/protocol/links.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { chooseNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { tool } from '../tool.ts';
import { id, input, path, vault } from './fields.ts';

/** The API returns no more. */
const BACKLINKS_MAX = 200;

export const getBacklinks = tool({
  name: 'get_backlinks',
  title: 'Backlinks of a note',
  description: 'List the notes that link to a note.',
  input: input({ vault, path, id }),
  rule: operations.listBacklinks,
  async run({ vault: wanted, ...name }, context) {
    const client = await chooseVault(context, wanted);
    const note = await chooseNote(client, name);
    const backlinks = await client.backlinksOf(note.id);
    const cut = backlinks.length >= BACKLINKS_MAX;
    const structured = {
      notice: DATA_NOTICE,
      vault: client.id,
      id: note.id,
      backlinks: backlinks.map(backlinkOf),
      maybe_more: cut,
    };
    if (backlinks.length === 0) return { parts: ['No note links to it.'], structured };
    const more = cut ? ['There may be more; these are the oldest.'] : [];
    return { parts: [data(backlinks.map(backlinkLine).join('\n')), ...more], structured };
  },
});

export function backlinkOf({ source_note_id: id, source_path: path, alias, anchor }: Backlink) {
  return { id, path, ...(alias === null ? {} : { alias }), ...(anchor === null ? {} : { anchor }) };
}

export function backlinkLine({ source_path: path, alias }: Backlink): string {
  return `${path ?? '(unreadable note)'}${alias === null ? '' : `  as "${alias}"`}`;
}
