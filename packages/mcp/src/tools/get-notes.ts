import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { Type } from 'typebox';
import { noSuchNote, readNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { DATA_NOTICE, data, type Parts, ToolFailure } from '../text/answer.ts';
import { tokensOf } from '../text/tokens.ts';
import { type ToolContext, tool } from '../tool.ts';
import { backlinkLine, backlinkOf } from './backlinks.ts';
import { cursor, input, vault } from './fields.ts';
import { type View, viewOf } from './note-view.ts';

const NOTES_MAX = 20;
/** Estimated tokens of note text in one answer; some texts need a third more. */
const ANSWER_TOKENS = 5_000;
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
    const budget = { tokens: ANSWER_TOKENS };
    const notes = [];
    for (const note of read) if (note !== null) notes.push(await showNote(client, note, shown, from, budget));
    const lost = missing.map((name) => ('path' in name ? name.path : name.id));
    const lostParts = lost.length === 0 ? [] : ['There are no notes with these paths or ids:', data(lost.join('\n'))];
    return {
      parts: [...notes.flatMap(({ parts }) => parts), ...lostParts],
      structured: {
        notice: DATA_NOTICE,
        vault: client.id,
        notes: notes.map(({ structured }) => structured),
        missing: lost,
      },
    };
  },
});

/** Reads notes in order, a few at once; null for each that does not exist. */
async function readAll(
  client: VaultClient,
  names: readonly { readonly path?: string; readonly id?: string }[],
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
  budget: { tokens: number },
): Promise<{ parts: Parts; structured: object }> {
  const { text, complete, cursor: next, left } = viewOf(note, view, section, from, budget.tokens);
  budget.tokens = Math.max(0, budget.tokens - tokensOf(text));
  const size = new TextEncoder().encode(note.content).length;
  const outgoing = links ? note.links.slice(0, LINKS_MAX) : [];
  const incoming = backlinks ? await client.backlinksOf(note.id) : [];
  const what = section !== undefined ? 'section' : view;
  const rest = next === null ? '' : `; ${left} more characters: send this note alone with cursor "${next}"`;
  const parts: Parts = [
    data(note.path),
    `id ${note.id}, hash ${note.content_hash}, ${size} bytes, version ${note.version}, updated ${note.updated_at}; ${what} ${complete ? 'complete' : 'not complete'}${rest}`,
    data(text),
    ...(links
      ? [linksTitle('links', outgoing.length, note.links.length), data(outgoing.map(linkLine).join('\n'))]
      : []),
    ...(backlinks
      ? [
          linksTitle('backlinks', Math.min(LINKS_MAX, incoming.length), incoming.length),
          data(incoming.slice(0, LINKS_MAX).map(backlinkLine).join('\n')),
        ]
      : []),
  ];
  const structured = {
    ...{ id: note.id, path: note.path, title: note.title, tags: note.tags, hash: note.content_hash, size },
    ...{ version: note.version, updated: note.updated_at, [what]: text, complete, cursor: next, left },
    ...(links ? { links: outgoing.map(linkOf), links_total: note.links.length } : {}),
    ...(backlinks ? { backlinks: incoming.slice(0, LINKS_MAX).map(backlinkOf), backlinks_total: incoming.length } : {}),
  };
  return { parts, structured };
}

function linksTitle(what: string, shown: number, all: number): string {
  return shown === all ? `${all} ${what}:` : `${shown} of ${all} ${what}:`;
}

type Link = Note['links'][number];

export function linkOf({ target_text: target, target_path: path, dangling }: Link) {
  return dangling ? { target, dangling } : { target, path };
}

export function linkLine({ target_text: target, target_path: path, dangling }: Link): string {
  return `${target} → ${dangling ? '(no such note)' : path}`;
}
