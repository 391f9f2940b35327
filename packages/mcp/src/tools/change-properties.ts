import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import { Type } from 'typebox';
import { readNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { EditFailure } from '../edits/edit.ts';
import { changeTags, propertyOf, removeProperty, setProperty } from '../edits/properties.ts';
import { explained } from '../failure.ts';
import { type Answer, DATA_NOTICE, data, type Parts, ToolFailure } from '../text/answer.ts';
import { withUndo } from '../text/undo-call.ts';
import { CHANGES, type ToolContext, tool } from '../tool.ts';
import { undoOf, writeOver } from './change-note.ts';
import { input, text, vault } from './fields.ts';

const NOTES_MAX = 100;
const AT_ONCE = 4;
/** How often a note is edited again that somebody has just changed. */
const TRIES = 8;

const notes = {
  paths: Type.Optional(Type.Array(Type.String(), { maxItems: NOTES_MAX })),
  ids: Type.Optional(Type.Array(Type.String(), { maxItems: NOTES_MAX })),
  folder: Type.Optional(Type.String({ description: 'All notes directly in it, at most 100.' })),
};
const dryRun = Type.Optional(Type.Boolean({ description: 'Only show which notes would change.' }));

export const setPropertyTool = tool({
  name: 'set_property',
  title: 'Set a property of many notes',
  description:
    'Set one frontmatter property of up to 100 notes, where it is absent or equals `expected`. Other notes are left and named.',
  input: input({
    vault,
    ...notes,
    key: text(''),
    value: Type.Optional(Type.Unknown({ description: 'Any JSON; null removes the key.' })),
    expected: Type.Optional(Type.Unknown({ description: 'The value to replace, as you read it.' })),
    dry_run: dryRun,
  }),
  rule: operations.upsertNote,
  hints: CHANGES,
  spendsByNote: true,
  async run({ key, value, expected, ...request }, context) {
    if (value === undefined) throw new ToolFailure('Send `value`; null removes the key. Nothing was changed.');
    return changeMany(request, context, ({ content }) => {
      const present = propertyOf(content, key);
      // The value may be written in another style, which stays.
      if (present !== undefined && isEqual(present, value)) return content;
      if (present !== undefined && !isEqual(present, expected)) {
        throw new EditFailure(`has another value: ${JSON.stringify(present)}`, [], '');
      }
      if (value === null) return present === undefined ? content : removeProperty(content, key);
      return setProperty(content, key, value);
    });
  },
});

export const tagNotes = tool({
  name: 'tag_notes',
  title: 'Tag notes',
  description: 'Add tags to the frontmatter of up to 100 notes, or remove them from it.',
  input: input({
    vault,
    ...notes,
    add: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20 })),
    remove: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 20 })),
    dry_run: dryRun,
  }),
  rule: operations.upsertNote,
  hints: CHANGES,
  spendsByNote: true,
  async run({ add = [], remove = [], ...request }, context) {
    if (add.length + remove.length === 0) throw new ToolFailure('Send `add` or `remove`. Nothing was changed.');
    return changeMany(request, context, ({ content }) => changeTags(content, add, remove));
  },
});

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

interface ManyNotes {
  readonly vault?: string;
  readonly paths?: readonly string[];
  readonly ids?: readonly string[];
  readonly folder?: string;
  readonly dry_run?: boolean;
}

interface NoteName {
  readonly path?: string;
  readonly id?: string;
}

type Outcome =
  | { readonly kind: 'changed'; readonly note: Note; readonly written: Note }
  | { readonly kind: 'unchanged' | 'missing' }
  | { readonly kind: 'left'; readonly reason: string; readonly error?: unknown };

/** The outcome for a note, with the path or id by which the call named it. */
type Named = Outcome & { readonly name: string };

/**
 * Edits many notes, each guarded by the hash of the text that the edit was made for. Notes that cannot be edited are
 * named. Throws the error of the first note only if all of them failed, because otherwise the answer must say what changed.
 */
async function changeMany(
  { vault: wanted, paths = [], ids = [], folder, dry_run: dry = false }: ManyNotes,
  context: ToolContext,
  edit: (note: Note) => string,
): Promise<Answer> {
  const client = await chooseVault(context, wanted);
  const inside = folder === undefined ? [] : (await client.notesIn(folder)).map(({ path }) => ({ path }));
  const names = [...paths.map((path) => ({ path })), ...ids.map((id) => ({ id })), ...inside];
  if (names.length === 0) throw new ToolFailure('No notes are named: send `paths`, `ids` or a `folder` with notes.');
  if (names.length > NOTES_MAX) throw new ToolFailure(`These are ${names.length} notes; send at most ${NOTES_MAX}.`);
  context.spendWrites(names.length);
  const outcomes: Named[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    if (at > 0) await context.progress(at, names.length);
    const slice = names.slice(at, at + AT_ONCE);
    const change = async (name: NoteName) => ({
      ...(await changeOne(client, name, dry, context, edit)),
      name: name.path ?? name.id ?? '',
    });
    outcomes.push(...(await Promise.all(slice.map(change))));
  }
  const [first] = outcomes;
  if (first?.kind === 'left' && outcomes.every((each) => each.kind === 'left' && each.error !== undefined)) {
    throw first.error;
  }
  const answer = answerOf(outcomes, dry);
  const changed = outcomes.filter((each) => each.kind === 'changed');
  const last = changed.at(-1);
  if (dry || last === undefined) return answer;
  const calls = changed.map(({ note, written }) => undoOf(note, written));
  const each = 'call restore_note for each note with its path, the version in brackets, and its hash as base_hash.';
  return withUndo(client, answer, calls, last.written.path, changed.length === 1 ? undefined : each);
}

async function changeOne(
  client: VaultClient,
  name: NoteName,
  dry: boolean,
  context: ToolContext,
  edit: (note: Note) => string,
): Promise<Outcome> {
  try {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const note = await readNote(client, name);
      if (note === null) return { kind: 'missing' };
      const content = edit(note);
      if (content === note.content) return { kind: 'unchanged' };
      const written = dry ? note : await writeOver(client, note, content, context);
      if (written !== null) return { kind: 'changed', note, written };
    }
    return { kind: 'left', reason: 'is being changed by others' };
  } catch (error) {
    if (error instanceof EditFailure) return { kind: 'left', reason: error.message };
    if (error instanceof ApiError || error instanceof ConnectionError) {
      return { kind: 'left', reason: refusalOf(error), error };
    }
    throw error;
  }
}

function refusalOf(error: ApiError | ConnectionError): string {
  const words = explained(error)?.filter((part) => typeof part === 'string');
  return words?.join(' ') ?? 'The server failed. It is not known whether the note was changed.';
}

function answerOf(outcomes: readonly Named[], dry: boolean): Answer {
  const changed = outcomes.filter((each) => each.kind === 'changed');
  const left = outcomes.filter((each) => each.kind === 'left');
  const missing = outcomes.filter(({ kind }) => kind === 'missing').map(({ name }) => name);
  const unchanged = outcomes.filter(({ kind }) => kind === 'unchanged').length;
  const lead = `${dry ? 'Dry run: nothing was changed. Would change' : 'Changed'} ${counted(changed.length, 'note')}; ${unchanged} had this already, ${left.length} left as they are.`;
  const lines = changed.map(({ note, written }) =>
    dry ? note.path : `${note.path}  ${written.content_hash} (${note.version})`,
  );
  const parts: Parts = [
    lead,
    ...(lines.length === 0 ? [] : [data(lines.join('\n'))]),
    ...(left.length === 0
      ? []
      : ['Left as they are:', data(left.map(({ name, reason }) => `${name}: ${reason}`).join('\n'))]),
    ...(missing.length === 0 ? [] : ['There are no notes with these paths or ids:', data(missing.join('\n'))]),
  ];
  const structured = {
    ...{ notice: DATA_NOTICE, dry_run: dry, unchanged, missing },
    changed: changed.map(({ note, written }) => ({
      ...{ id: note.id, path: note.path, version_before: note.version },
      ...(dry ? {} : { hash: written.content_hash }),
    })),
    left: left.map(({ name, reason }) => ({ name, reason })),
  };
  return { parts, structured };
}
