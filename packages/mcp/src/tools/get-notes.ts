import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { Type } from 'typebox';
import { noSuchNote, readNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { DATA_NOTICE, data, type Parts, ToolFailure } from '../text/answer.ts';
import { cutTo, tokensOf } from '../text/tokens.ts';
import { type ToolContext, tool } from '../tool.ts';
import { backlinkLine, backlinkOf } from './backlinks.ts';
import { cursor, input, vault } from './fields.ts';
import { type View, viewOf } from './note-view.ts';

const NOTES_MAX = 20;
/** Maximum tokens of the texts of notes in one answer. */
const TEXT_TOKENS = 5_000;
/** Maximum tokens of all that an answer shows of notes. */
const NOTES_TOKENS = 7_200;
/** Tokens of the line about a note, with the tags around its parts. */
const FACTS_TOKENS = 180;
/** Maximum tokens of the name of a link's target in a list. */
const TARGET_TOKENS = 500;
const LINKS_MAX = 50;
const AT_ONCE = 4;

export const getNotes = tool({
  name: 'get_notes',
  title: 'Read notes',
  description:
    'Read up to 20 notes by path or id, with hash, size, and whether the text is complete. Long texts come in pieces with a cursor.',
  input: input({
    vault,
    paths: Type.Optional(Type.Array(Type.String(), { maxItems: NOTES_MAX })),
    ids: Type.Optional(Type.Array(Type.String(), { maxItems: NOTES_MAX })),
    view: Type.Optional(Type.Enum(['content', 'outline', 'frontmatter'])),
    section: Type.Optional(
      Type.String({ maxLength: 1_000, description: 'Only this section: heading path, "Plan > Week 1".' }),
    ),
    links: Type.Optional(Type.Boolean()),
    backlinks: Type.Optional(Type.Boolean()),
    cursor,
  }),
  rule: operations.getNote,
  async run({ vault: wanted, paths = [], ids = [], cursor: from, ...shown }, context) {
    const names = [...paths.map((path) => ({ path })), ...ids.map((id) => ({ id }))];
    if (names.length === 0) throw new ToolFailure('Send `paths` or `ids`.');
    if (names.length > NOTES_MAX) throw new ToolFailure(`Send at most ${NOTES_MAX} notes.`);
    if (from !== undefined && names.length > 1)
      throw new ToolFailure('A cursor belongs to one note: send only that one.');
    const client = await chooseVault(context, wanted);
    const read = await readAll(client, names, context);
    const missing = names.filter((_, index) => read[index] === null);
    const [first] = missing;
    if (first !== undefined && names.length === 1) throw await noSuchNote(client, 'path' in first ? first.path : null);
    const budget: Budget = { text: TEXT_TOKENS, all: NOTES_TOKENS };
    const notes = [];
    const left: string[] = [];
    for (const [index, note] of read.entries()) {
      if (note === null) continue;
      const fits = notes.length === 0 || headTokens(note) <= budget.all;
      if (fits) notes.push(await showNote(client, note, shown, from, budget));
      else left.push(nameOf(names[index]));
    }
    const leftParts =
      left.length === 0 ? [] : ['No room was left for these; read them by another call:', data(left.join('\n'))];
    const lost = missing.map(nameOf);
    const lostParts = lost.length === 0 ? [] : ['There are no notes with these paths or ids:', data(lost.join('\n'))];
    return {
      parts: [...notes.flatMap(({ parts }) => parts), ...leftParts, ...lostParts],
      structured: {
        notice: DATA_NOTICE,
        vault: client.id,
        notes: notes.map(({ structured }) => structured),
        missing: lost,
        ...(left.length === 0 ? {} : { left }),
      },
    };
  },
});

type Name = { readonly path?: string; readonly id?: string };

function nameOf({ path, id }: Name = {}): string {
  return path ?? id ?? '';
}

/** Tokens that are left for an answer. */
interface Budget {
  text: number;
  all: number;
}

/** Returns the tokens of what an answer says of any note, without its text and links. */
function headTokens({ path }: Note): number {
  return tokensOf(path) + FACTS_TOKENS;
}

/** Reads notes in order, a few at once; null for each that does not exist. */
async function readAll(
  client: VaultClient,
  names: readonly Name[],
  { progress }: ToolContext,
): Promise<(Note | null)[]> {
  const read: (Note | null)[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    if (at > 0) await progress(at, names.length);
    read.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map((name) => readNote(client, name)))));
  }
  return read;
}

interface Shown {
  readonly view?: View;
  readonly section?: string;
  readonly links?: boolean;
  readonly backlinks?: boolean;
}

/** Shows a note within what is left of the answer's budget. */
async function showNote(
  client: VaultClient,
  note: Note,
  { view = 'content', section, links = false, backlinks = false }: Shown,
  from: string | undefined,
  budget: Budget,
): Promise<{ parts: Parts; structured: object }> {
  budget.all -= headTokens(note);
  const { text, complete, cursor: next, left } = viewOf(note, view, section, from, Math.min(budget.text, budget.all));
  budget.text -= tokensOf(text);
  budget.all -= tokensOf(text);
  const size = new TextEncoder().encode(note.content).length;
  const outgoing = links ? listed(note.links, linkLine, budget) : null;
  const incoming = backlinks ? listed(await client.backlinksOf(note.id), backlinkLine, budget) : null;
  const what = section !== undefined ? 'section' : view;
  const rest = next === null ? '' : `; ${left} more characters: send this note alone with cursor "${next}"`;
  const parts: Parts = [
    data(note.path),
    `id ${note.id}, hash ${note.content_hash}, ${size} bytes, version ${note.version}, updated ${note.updated_at}; ${what} ${complete ? 'complete' : 'not complete'}${rest}`,
    data(text),
    ...(outgoing === null ? [] : [linksTitle('links', 'list_links', outgoing), data(outgoing.lines.join('\n'))]),
    ...(incoming === null ? [] : [linksTitle('backlinks', 'get_backlinks', incoming), data(incoming.lines.join('\n'))]),
  ];
  const structured = {
    ...{ id: note.id, path: note.path, title: note.title, tags: note.tags, hash: note.content_hash, size },
    ...{ version: note.version, updated: note.updated_at, [what]: text, complete, cursor: next, left },
    ...(outgoing === null ? {} : { links: outgoing.items.map(linkOf), links_total: outgoing.total }),
    ...(incoming === null ? {} : { backlinks: incoming.items.map(backlinkOf), backlinks_total: incoming.total }),
  };
  return { parts, structured };
}

interface Listed<Item> {
  readonly items: readonly Item[];
  readonly lines: readonly string[];
  readonly total: number;
}

/** Returns the first links of a note, as many as fit into what is left for the answer. */
function listed<Item>(all: readonly Item[], lineOf: (item: Item) => string, budget: Budget): Listed<Item> {
  const lines: string[] = [];
  for (const item of all.slice(0, LINKS_MAX)) {
    const line = lineOf(item);
    const tokens = tokensOf(line) + 1;
    if (tokens > budget.all) break;
    budget.all -= tokens;
    lines.push(line);
  }
  return { items: all.slice(0, lines.length), lines, total: all.length };
}

function linksTitle(what: string, tool: string, { lines, total }: Listed<unknown>): string {
  return lines.length === total
    ? `${total} ${what}:`
    : `${lines.length} of ${total} ${what}, of which ${tool} has all:`;
}

type Link = Note['links'][number];

export function linkOf({ target_text: target, target_path: path, dangling }: Link) {
  return dangling ? { target, dangling } : { target, path };
}

export function linkLine({ target_text: target, target_path: path, dangling }: Link): string {
  return `${cutTo(target, TARGET_TOKENS)} → ${dangling ? '(no such note)' : path}`;
}
