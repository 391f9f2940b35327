import { DANGLING_PAGE, type DanglingLink } from '@notevault/protocol/links.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { Type } from 'typebox';
import { chooseNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { fitting, fittingPage, inOrder, moreLine, pageOf } from '../paging.ts';
import { DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { cutTo } from '../text/tokens.ts';
import { tool } from '../tool.ts';
import { cursor, id, input, path, vault } from './fields.ts';
import { linkLine, linkOf } from './get-notes.ts';

const PAGE = 200;
/** Maximum tokens of the name of a target, and of the names similar to it. */
const TARGET_TOKENS = 500;
const NEAR_TOKENS = 1_000;

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
      const {
        links,
        lines,
        next_cursor: next,
      } = await fittingPage(
        DANGLING_PAGE,
        (limit) => client.dangling(from ?? null, limit),
        ({ links }) => links.map(danglingLine),
      );
      const structured = { notice: DATA_NOTICE, vault: client.id, links, has_more: next !== null, cursor: next };
      if (links.length === 0) return { parts: ['No link leads nowhere.'], structured };
      return {
        parts: ['Note, line, target, similar notes:', data(lines.join('\n')), ...moreLine(next)],
        structured,
      };
    }
    const { id: noteId, links } = await chooseNote(client, name);
    const page = pageOf(links, from, { keyOf: inOrder, lineOf: linkLine, limit: PAGE });
    const structured = {
      notice: DATA_NOTICE,
      vault: client.id,
      id: noteId,
      links: page.items.map(linkOf),
      cursor: page.next,
    };
    if (links.length === 0) return { parts: ['The note has no links.'], structured };
    return { parts: [data(page.lines.join('\n')), ...moreLine(page.next, page.left)], structured };
  },
});

function danglingLine({ path, line, target, near }: DanglingLink): string {
  const named = near.slice(0, fitting(near, NEAR_TOKENS));
  const similar = named.length === 0 ? '' : `  (similar: ${cutTo(named.join(', '), NEAR_TOKENS)})`;
  return `${path}:${line ?? '?'}  → ${cutTo(target, TARGET_TOKENS)}${similar}`;
}
