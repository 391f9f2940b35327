import { operations } from '@notevault/protocol/operations.ts';
import { QUERY_OPERATORS, type QueryResponse, type QueryValue } from '@notevault/protocol/queries.ts';
import { Type } from 'typebox';
import { chooseVault } from '../choose-vault.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { tool } from '../tool.ts';
import { cursor, input, limit, optional, vault } from './fields.ts';

const USUAL = 200;
const MAX = 500;

export const queryNotes = tool({
  name: 'query_notes',
  title: 'Query properties',
  description:
    'A table of frontmatter properties over many notes in one call, with the total: {"folder":"Projects","where":[{"property":"status","op":"is","value":"open"}],"columns":["status","due"],"sort":[{"by":"due"}]}. Also file.name, file.folder, file.created, file.modified, file.size, file.tags, file.links, file.backlinks.',
  input: input({
    vault,
    where: Type.Optional(
      Type.Array(
        Type.Object(
          {
            property: Type.String(),
            op: Type.Enum([...QUERY_OPERATORS]),
            value: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
          },
          { additionalProperties: false },
        ),
        { description: 'A list is what any of its items is. Dates: ISO 8601.' },
      ),
    ),
    match: Type.Optional(Type.Enum(['all', 'any'])),
    folder: optional('With its subfolders.'),
    tags: Type.Optional(Type.Array(Type.String(), { description: 'Any of them.' })),
    columns: Type.Optional(Type.Array(Type.String())),
    sort: Type.Optional(
      Type.Array(
        Type.Object(
          { by: Type.String(), dir: Type.Optional(Type.Enum(['asc', 'desc'])) },
          { additionalProperties: false },
        ),
      ),
    ),
    tz: Type.Optional(Type.String()),
    limit: limit(MAX, USUAL),
    cursor,
  }),
  rule: operations.queryNotes,
  async run({ vault: wanted, limit: most = USUAL, ...request }, context) {
    const client = await chooseVault(context, wanted);
    const answer = await client.query({ ...request, limit: most });
    const { columns, rows, total, next_cursor: next } = answer;
    const structured = {
      ...{ notice: DATA_NOTICE, vault: client.id, total, columns: ['path', ...columns] },
      rows: rows.map(({ path, values }) => [path, ...values]),
      ...{ has_more: next !== null, cursor: next },
    };
    if (total === 0) return { parts: ['No note matches.'], structured };
    const shown = `${rows.length} of ${total} notes that match:`;
    const more = next === null ? [] : ['There are more: send the cursor with the same query.'];
    return { parts: [shown, data(tableOf(answer)), ...more], structured };
  },
});

/** Returns a line for each row, cells separated by ` | `. */
function tableOf({ columns, rows }: QueryResponse): string {
  const lines = rows.map(({ path, values }) => [path, ...values.map(cellOf)]);
  return [['path', ...columns], ...lines].map((cells) => cells.map(oneLine).join(' | ')).join('\n');
}

function cellOf(value: QueryValue): string {
  if (value === null) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function oneLine(cell: string): string {
  return cell.replace(/\s+/g, ' ').replaceAll('|', '¦');
}
