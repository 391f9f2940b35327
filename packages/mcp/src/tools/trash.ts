import { operations } from '@notevault/protocol/operations.ts';
import { TRASH_PAGE } from '@notevault/protocol/trash.ts';
import { chooseVault } from '../choose-vault.ts';
import { fittingPage, moreLine } from '../paging.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { trashLine } from '../text/trash-line.ts';
import { tool } from '../tool.ts';
import { cursor, input, optional, vault } from './fields.ts';

export const listTrash = tool({
  name: 'list_trash',
  title: 'List the trash',
  description: 'List deleted notes and attachments, newest deletion first. restore_note brings a note back.',
  input: input({ vault, path: optional('Only what had this path.'), cursor }),
  rule: operations.listTrash,
  async run({ vault: wanted, path, cursor: from }, context) {
    const client = await chooseVault(context, wanted);
    const {
      items,
      lines,
      next_cursor: next,
    } = await fittingPage(
      TRASH_PAGE,
      (limit) => client.trash(from ?? null, path, limit),
      ({ items }) => items.map(trashLine),
    );
    const structured = { notice: DATA_NOTICE, vault: client.id, items, has_more: next !== null, cursor: next };
    if (items.length === 0) return { parts: ['Nothing is in the trash.'], structured };
    return { parts: [data(lines.join('\n')), ...moreLine(next)], structured };
  },
});
