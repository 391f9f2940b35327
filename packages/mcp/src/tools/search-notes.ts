import { operations } from '@notevault/protocol/operations.ts';
import type { SearchResult } from '@notevault/protocol/search.ts';
import { Type } from 'typebox';
import { chooseVault } from '../choose-vault.ts';
import { fittingPage, moreLine } from '../paging.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { cutTo } from '../text/tokens.ts';
import { tool } from '../tool.ts';
import { cursor, input, limit, optional, text, vault } from './fields.ts';

const USUAL = 10;
const MAX = 50;
/** Maximum tokens of a title, and of the headings above a result. */
const TITLE_TOKENS = 200;

export const searchNotes = tool({
  name: 'search_notes',
  title: 'Search notes',
  description:
    'Search a vault by words and meaning. Returns paths, headings and snippets; read the notes with get_notes.',
  input: input({
    vault,
    query: text('Words, "exact phrase", +"required phrase", -word, #tag, tag:x, path:x, folder:x, title:x.'),
    mode: Type.Optional(Type.Enum(['hybrid', 'keyword', 'vector'])),
    folder: optional('With its subfolders.'),
    tags: Type.Optional(Type.Array(Type.String(), { description: 'Any of them.' })),
    type: optional('Frontmatter type.'),
    updated_after: optional('ISO 8601, of the frontmatter date.'),
    updated_before: Type.Optional(Type.String()),
    changed_after: optional('ISO 8601, of the last change.'),
    changed_before: Type.Optional(Type.String()),
    limit: limit(MAX, USUAL),
    cursor,
  }),
  rule: operations.search,
  async run({ vault: wanted, limit: most = USUAL, ...request }, context) {
    const client = await chooseVault(context, wanted);
    const {
      results,
      lines,
      next_cursor: next,
      relaxed = [],
      partial,
    } = await fittingPage(
      most,
      (limit) => client.search({ ...request, limit }),
      ({ results }) => results.map(resultLine),
    );
    const structured = {
      notice: DATA_NOTICE,
      vault: client.id,
      results: results.map(({ id, path, title, heading_path: heading, snippet, score }) => {
        return { id, path, title, heading, snippet, score: Number(score.toFixed(3)) };
      }),
      has_more: next !== null,
      cursor: next,
      relaxed,
      ...(partial === undefined ? {} : { partial }),
    };
    const some =
      partial === undefined
        ? []
        : [`The index is being made: ${partial.indexed} of ${partial.total} notes were searched. Search again later.`];
    const exact = relaxed.length === 0 ? [] : ['No note has the exact phrase; these have its words.'];
    if (results.length === 0) return { parts: [...some, 'Nothing found. Try fewer or other words.'], structured };
    return { parts: [...some, ...exact, data(lines.join('\n')), ...moreLine(next)], structured };
  },
});

function resultLine({ path, title, heading_path: heading, snippet }: SearchResult, index: number): string {
  const under = heading === '' ? '' : `  (${cutTo(heading, TITLE_TOKENS)})`;
  return `${index + 1}. ${path}  "${cutTo(title, TITLE_TOKENS)}"${under}\n   ${snippet.replaceAll('\n', ' ')}`;
}
