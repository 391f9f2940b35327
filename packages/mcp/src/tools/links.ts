import type { DanglingLink } from '@notevault/protocol/links.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { Type } from 'typebox';
import { chooseNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { moreLine, pageOf } from '../paging.ts';
import { DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { tool } from '../tool.ts';
import { cursor, id, input, path, vault } from './fields.ts';
import { linkLine, linkOf } from './get-notes.ts';

const PAGE = 200;

export const listLinks = tool({
  name: 'list_links',
  title: 'List links',
  description:
    'List the links of one note; with dangling, all links of the vault that lead nowhere, with similar notes.',
  input: input({ vault, path, id, dangling: Type.Optional(Type.Boolean()), cursor }),
  rule: operations.listDanglingLinks,
  async run({ vault: wanted, dangling = false, cursor: from, ...name }, context) {
    const isOfNote = name.path !== undefined || name.id !== undefined;
    if (dangling === isOfNote) throw new ToolFailure('Send a note by `path` or `id`, or `dangling: true`.');
    const client = await chooseVault(context, wanted);
    if (dangling) {
      const { links, next_cursor: next } = await client.dangling(from ?? null);
      const structured = { notice: DATA_NOTICE, vault: client.id, links, has_more: next !== null, cursor: next };
      if (links.length === 0) return { parts: ['No link leads nowhere.'], structured };
      const more = next === null ? [] : [`There are more: call again with cursor "${next}".`];
      return {
        parts: ['Note, line, target, similar notes:', data(links.map(danglingLine).join('\n')), ...more],
        structured,
      };
    }
    const { id: noteId, links } = await chooseNote(client, name);
    const page = pageOf(
      links.map((link, index) => ({ link, key: String(index).padStart(8, '0') })),
      ({ key }) => key,
      from,
      PAGE,
    );
    const shown = page.items.map(({ link }) => link);
    const structured = {
      notice: DATA_NOTICE,
      vault: client.id,
      id: noteId,
      links: shown.map(linkOf),
      cursor: page.next,
    };
    if (links.length === 0) return { parts: ['The note has no links.'], structured };
    return { parts: [data(shown.map(linkLine).join('\n')), ...moreLine(page)], structured };
  },
});

function danglingLine({ path, line, target, near }: DanglingLink): string {
  const similar = near.length === 0 ? '' : `  (similar: ${near.join(', ')})`;
  return `${path}:${line ?? '?'}  → ${target}${similar}`;
}
