import { operations } from '@notevault/protocol/operations.ts';
import { QUERY_LIMIT_MAX, QUERY_OPERATORS, type QueryResponse, type QueryValue } from '@notevault/protocol/queries.ts';
import { Type } from 'typebox';
import { chooseVault } from '../choose-vault.ts';
import { fittingPage, moreLine } from '../paging.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { cutTo } from '../text/tokens.ts';
import { tool } from '../tool.ts';
import { cursor, input, limit, optional, vault } from './fields.ts';

const USUAL = 200;
/** Maximum tokens of the values of a row. */
const ROW_TOKENS = 2_000;

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
    limit: limit(QUERY_LIMIT_MAX, USUAL),
    cursor,
  }),
  rule: operations.queryNotes,
  async run({ vault: wanted, limit: most = USUAL, ...request }, context) {
    const client = await chooseVault(context, wanted);
    const {
      columns,
      rows,
      total,
      lines,
      next_cursor: next,
    } = await fittingPage(most, (limit) => client.query({ ...request, limit }), tableOf);
    const structured = {
      ...{ notice: DATA_NOTICE, vault: client.id, total, columns: ['path', ...columns] },
      rows: rows.map(({ path, values }) => [path, ...values]),
      ...{ has_more: next !== null, cursor: next },
    };
    if (total === 0) return { parts: ['No note matches.'], structured };
    const shown = `${rows.length} of ${total} notes that match:`;
    const table = [lineOf(['path', ...columns]), ...lines].join('\n');
    return { parts: [shown, data(table), ...moreLine(next)], structured };
  },
});

/** Returns a line for each row. */
function tableOf({ columns, rows }: QueryResponse): string[] {
  const most = ROW_TOKENS / Math.max(1, columns.length);
  return rows.map(({ path, values }) => lineOf([path, ...values.map((value) => cutTo(cellOf(value), most))]));
}

/** Joins cells by ` | `. A text that would look like several cells or lines is shown as JSON. */
function lineOf(cells: readonly string[]): string {
  return cells.map((cell) => (/[|\r\n\u2028\u2029]/.test(cell) ? JSON.stringify(cell) : cell)).join(' | ');
}

function cellOf(value: QueryValue): string {
  if (value === null) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
}
