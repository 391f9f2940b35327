import type { Assistant, ToolResult } from '../kit/clients/mcp.ts';

/** A call of a tool with input that succeeds, given the results of the calls before it. */
export interface ToolCall {
  readonly name: string;
  readonly input: (known: Known) => Record<string, unknown>;
}

/** Ids and values from earlier calls. */
export interface Known {
  readonly vault: string;
  /** A note that exists. */
  readonly path: string;
  /** Unique to the run. */
  readonly word: string;
  id: string;
  hash: string;
  version: number;
  uri: string;
  /** The item of the last write. */
  item?: string;
}

/** One call of every tool; the reading ones first, which need only a note and an attachment `file.txt`. */
export const toolCalls: readonly ToolCall[] = [
  { name: 'list_vaults', input: () => ({}) },
  { name: 'list_folder', input: ({ vault }) => ({ vault }) },
  { name: 'list_tags', input: ({ vault }) => ({ vault }) },
  { name: 'recent_notes', input: ({ vault }) => ({ vault, limit: 3 }) },
  { name: 'search_notes', input: ({ vault }) => ({ vault, query: 'words', mode: 'keyword' }) },
  { name: 'query_notes', input: ({ vault }) => ({ vault, columns: ['type', 'file.tags'] }) },
  { name: 'get_notes', input: ({ vault, path }) => ({ vault, paths: [path], links: true, backlinks: true }) },
  { name: 'get_backlinks', input: ({ vault, path }) => ({ vault, path }) },
  { name: 'list_links', input: ({ vault, path }) => ({ vault, path }) },
  { name: 'list_tasks', input: ({ vault }) => ({ vault }) },
  { name: 'list_trash', input: ({ vault }) => ({ vault }) },
  { name: 'get_history', input: ({ vault, path }) => ({ vault, path }) },
  { name: 'recent_changes', input: ({ vault }) => ({ vault, limit: 3 }) },
  { name: 'get_attachment', input: ({ vault }) => ({ vault, path: 'file.txt' }) },
  { name: 'search', input: () => ({ query: 'words' }) },
  { name: 'fetch', input: ({ uri }) => ({ id: uri }) },
  { name: 'create_note', input: ({ vault, word }) => ({ vault, path: `${word}.md`, content: `# ${word}\n` }) },
  { name: 'append_to_note', input: ({ vault, id }) => ({ vault, id, text: '- [ ] more' }) },
  { name: 'set_task', input: ({ vault, id }) => ({ vault, id, line: 2, text: 'more', state: 'done' }) },
  {
    name: 'edit_note',
    input: ({ vault, id, hash }) => ({
      vault,
      id,
      base_hash: hash,
      edits: [{ op: 'set_property', key: 'k', value: 1 }],
    }),
  },
  { name: 'restore_note', input: ({ vault, id, version }) => ({ vault, id, version }) },
  { name: 'tag_notes', input: ({ vault, id }) => ({ vault, ids: [id], add: ['t'] }) },
  { name: 'set_property', input: ({ vault, id }) => ({ vault, ids: [id], key: 'p', value: 1 }) },
  { name: 'rename_note', input: ({ vault, id, word }) => ({ vault, id, new_path: `${word} renamed.md` }) },
  { name: 'create_folder', input: ({ vault, word }) => ({ vault, path: `${word} folder` }) },
  { name: 'move_notes', input: ({ vault, id, word }) => ({ vault, ids: [id], folder: `${word} folder` }) },
  { name: 'rename_folder', input: ({ vault, word }) => ({ vault, path: `${word} folder`, new_path: `${word} moved` }) },
  { name: 'get_attachment_upload_target', input: ({ vault, word }) => ({ vault, path: `${word}.png` }) },
  { name: 'undo_change', input: ({ vault, item }) => ({ vault, item }) },
  { name: 'delete_note', input: ({ vault, id }) => ({ vault, id }) },
];

/** Calls tools in order; resolves to the results by name. */
export async function callAll(
  assistant: Pick<Assistant, 'call'>,
  known: Known,
  calls: readonly ToolCall[] = toolCalls,
): Promise<ReadonlyMap<string, ToolResult>> {
  const results = new Map<string, ToolResult>();
  for (const { name, input } of calls) {
    const result = await assistant.call(name, input(known));
    results.set(name, result);
    const { data } = result;
    if (name === 'search') known.uri = data.results?.[0]?.id ?? '';
    if (typeof data.id === 'string' && name === 'create_note') known.id = data.id;
    if (typeof data.item === 'string') known.item = data.item;
    if (typeof data.hash === 'string') known.hash = data.hash;
    if (typeof data.version_before === 'number') known.version = data.version_before;
  }
  return results;
}
