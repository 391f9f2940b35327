import { ApiError } from '@notevault/client/transport.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { operations } from '@notevault/protocol/operations.ts';
import type { SearchResult } from '@notevault/protocol/search.ts';
import { idInPath, parseNoteUri, shortNoteUri } from '../note-uri.ts';
import { ToolFailure } from '../text/answer.ts';
import { cutTo, tokensOf } from '../text/tokens.ts';
import { type ToolContext, tool } from '../tool.ts';
import { input, text } from './fields.ts';
import { viewOf } from './note-view.ts';

/*
 * The pair of tools that ChatGPT’s connectors ask for, in their shape: one JSON text, whose strings enclose all data.
 */

const RESULTS = 10;
const VAULTS_MAX = 20;
/** Maximum tokens of an answer, and of a title or snippet in it. */
const TOKENS_MAX = 7_500;
const TITLE_TOKENS = 200;
/** Maximum tokens of a note’s text. */
const TEXT_TOKENS = 5_000;

export const search = tool({
  name: 'search',
  title: 'Search everything',
  description: 'Search all accessible vaults. Returns ids for fetch.',
  input: input({ query: text('') }),
  rule: operations.search,
  async run({ query }, context) {
    const found = await searchEverywhere(query, context);
    const results = found.map(({ vault, id, path, title, snippet }) => {
      const uri = shortNoteUri(vault, { id, path });
      return { id: uri, title: cutTo(title, TITLE_TOKENS), url: uri, text: cutTo(snippet, TITLE_TOKENS) };
    });
    return { parts: [], structured: { results }, json: true };
  },
});

type Found = SearchResult & { readonly vault: string };

async function searchEverywhere(query: string, { client, vaults }: ToolContext): Promise<Found[]> {
  const all = await vaults();
  const [first] = all;
  if (first === undefined) return [];
  if (all.length > 1) {
    try {
      const { results } = await client.vault(first.id).search({ query, limit: RESULTS, cross_vault: true });
      return results.map((result) => ({ ...result, vault: result.vault_id ?? first.id }));
    } catch (error) {
      // The plan may not include a search of all vaults at once.
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
    }
  }
  const found: Found[] = [];
  for (const { id } of all.slice(0, VAULTS_MAX)) {
    const { results } = await client.vault(id).search({ query, limit: RESULTS });
    found.push(...results.map((result) => ({ ...result, vault: id })));
  }
  return found.sort((a, b) => b.score - a.score).slice(0, RESULTS);
}

export const fetchNote = tool({
  name: 'fetch',
  title: 'Fetch a note',
  description: 'Read a note by an id from search.',
  input: input({ id: text('') }),
  rule: operations.getNote,
  async run({ id }, { client }) {
    const named = parseNoteUri(id);
    if (named === null) throw new ToolFailure('The id is not one that search gave.');
    const vault = client.vault(named.vault);
    const noteId = idInPath(named.path);
    const note = await (noteId === null ? vault.readNote(named.path) : vault.readNoteById(noteId));
    if (note === null) throw new ToolFailure('There is no such note any more. Search again.');
    const url = shortNoteUri(named.vault, note);
    for (let tokens = TEXT_TOKENS; ; tokens /= 2) {
      const structured = fetched(note, url, tokens);
      // Quotes, backslashes and line ends take more as JSON.
      if (tokensOf(JSON.stringify(structured)) <= TOKENS_MAX) return { parts: [], structured, json: true };
    }
  },
});

function fetched(note: Note, url: string, tokens: number) {
  const { text: shown, complete } = viewOf(note, 'content', undefined, undefined, tokens);
  const metadata = {
    ...{ hash: note.content_hash, updated: note.updated_at, complete },
    ...(!complete ? { characters: note.content.length, next: 'get_notes reads the rest' } : {}),
  };
  return { id: url, title: cutTo(note.title, TITLE_TOKENS), text: shown, url, metadata };
}
