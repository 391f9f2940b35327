import type { QueryValue } from '@notevault/protocol/queries.ts';
import { api } from '../../data/client.ts';
import { noteName } from '../../data/tree/tree-index.ts';
import type { QueryTable, QueryTables } from '../../editor/index.ts';
import { type QueryKind, type QueryView, readQuery } from './query-source.ts';

/** Asks the server for the tables of a block or a base. Throws ApiError, ConnectionError, and the error of the YAML. */
export async function queryTables(vaultId: string, kind: QueryKind, source: string): Promise<QueryTables> {
  const { views, unread } = readQuery(kind, source);
  return { tables: await Promise.all(views.map((view) => tableOf(vaultId, view))), unread };
}

async function tableOf(vaultId: string, view: QueryView, cursor?: string): Promise<QueryTable> {
  const { name, isList, request, labels } = view;
  const tz = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const page = cursor === undefined ? {} : { cursor };
  const { columns, rows, total, next_cursor: next } = await api.vault(vaultId).query({ ...request, tz, ...page });
  return {
    name,
    isList,
    columns: columns.map((column) => labels[column] ?? column),
    rows: rows.map(({ id, path, values }) => ({ id, path, name: noteName(path), values: values.map(shown) })),
    total,
    // A query with a limit wants no further rows.
    more: next === null || request.limit !== undefined ? null : () => tableOf(vaultId, view, next),
  };
}

function shown(value: QueryValue): string {
  if (value === null) return '';
  if (typeof value === 'object') return value.join(', ');
  return value === true ? '✓' : String(value);
}
