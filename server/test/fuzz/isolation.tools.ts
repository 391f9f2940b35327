import type { Known, World } from '../kit/operations.ts';

/** The tools of assistants as operations: each is called with things of the caller's world, which the fuzzer swaps. */

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzzer', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
  'mcp-protocol-version': '2026-07-28',
};

type Input = (world: World) => Record<string, unknown>;

const uriOf = ({ vault, notePath }: World) => `notevault://${vault}/${encodeURIComponent(notePath)}`;

/** Inputs of tools. None gives an entry a name of alice's: calls that do not name it would find it later. */
const inputs: readonly (readonly [tool: string, input: Input])[] = [
  ['list_folder', (w) => ({ vault: w.vault, path: w.folderPath })],
  ['list_tags', (w) => ({ vault: w.vault })],
  ['recent_notes', (w) => ({ vault: w.vault })],
  ['search_notes', (w) => ({ vault: w.vault, query: w.notePath, mode: 'keyword' })],
  ['query_notes', (w) => ({ vault: w.vault, folder: w.folderPath, columns: ['type', 'file.links'] })],
  [
    'get_notes',
    (w) => ({ vault: w.vault, ids: [w.note, w.other], paths: [w.otherPath], links: true, backlinks: true }),
  ],
  ['get_notes', (w) => ({ vault: w.vault, paths: [w.notePath] })],
  ['get_backlinks', (w) => ({ vault: w.vault, id: w.note })],
  ['get_history', (w) => ({ vault: w.vault, id: w.note })],
  ['recent_changes', (w) => ({ vault: w.vault, id: w.note })],
  ['get_attachment', (w) => ({ vault: w.vault, path: w.attachmentPath })],
  ['search', (w) => ({ query: w.notePath })],
  ['fetch', (w) => ({ id: uriOf(w) })],
  ['get_attachment_upload_target', (w) => ({ vault: w.vault, path: w.attachmentPath })],
  ['create_note', (w) => ({ vault: w.vault, path: w.notePath, content: 'x' })],
  ['append_to_note', (w) => ({ vault: w.vault, id: w.note, text: 'x' })],
  ['edit_note', (w) => ({ vault: w.vault, path: w.notePath, edits: [{ op: 'append', text: 'x' }] })],
  ['restore_note', (w) => ({ vault: w.vault, id: w.note, version: 1, dry_run: true })],
  ['restore_note', (w) => ({ vault: w.vault, id: w.trashed })],
  ['undo_change', (w) => ({ vault: w.vault, item: w.activity, dry_run: true })],
  ['create_folder', (w) => ({ vault: w.vault, path: w.folderPath })],
  ['rename_note', (w) => ({ vault: w.vault, id: w.note, new_path: `${w.fresh}.md` })],
  ['move_notes', (w) => ({ vault: w.vault, ids: [w.note], paths: [w.otherPath], folder: w.fresh })],
  ['rename_folder', (w) => ({ vault: w.vault, path: w.folderPath, new_path: `${w.fresh} moved` })],
  ['delete_note', (w) => ({ vault: w.vault, id: w.note })],
];

export const toolOperations: readonly Known[] = inputs.map(([tool, input], index) => ({
  name: `${tool} ${index}`,
  method: 'POST',
  rule: { who: 'credential' },
  answers: 200,
  needs: 'trash',
  request: (world) => ({
    url: '/mcp',
    headers: { ...HEADERS, 'mcp-method': 'tools/call', 'mcp-name': tool },
    body: {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: tool, arguments: input(world), _meta: META },
    },
  }),
}));
