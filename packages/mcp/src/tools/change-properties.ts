import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import { Type } from 'typebox';
import { readNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { EditFailure } from '../edits/edit.ts';
import { changeTags, propertyOf, removeProperty, setProperty } from '../edits/properties.ts';
import { type Answer, DATA_NOTICE, data, type Parts, ToolFailure } from '../text/answer.ts';
import { CHANGES, type ToolContext, tool } from '../tool.ts';
import { writeOver } from './change-note.ts';
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
      const isAllowed = present === undefined || JSON.stringify(present) === JSON.stringify(expected);
      if (!isAllowed && JSON.stringify(present) !== JSON.stringify(value)) {
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

interface ManyNotes {
  readonly vault?: string;
  readonly paths?: readonly string[];
  readonly ids?: readonly string[];
  readonly folder?: string;
  readonly dry_run?: boolean;
}

interface Outcome {
  readonly note: Note;
  /** Why the note was left as it was; null if it was changed, or had the text already. */
  readonly reason: string | null;
  /** Null if the note had the text already. */
  readonly written: Note | null;
}

/** Edits many notes, each guarded by the hash of the text that the edit was made for. What cannot be edited is named. */
async function changeMany(
  { vault: wanted, paths = [], ids = [], folder, dry_run: dry = false }: ManyNotes,
  context: ToolContext,
  edit: (note: Note) => string,
): Promise<Answer> {
  const client = await chooseVault(context, wanted);
  const inside = folder === undefined ? [] : (await client.notesIn(folder)).map(({ id }) => ({ id }));
  const names = [...paths.map((path) => ({ path })), ...ids.map((id) => ({ id })), ...inside];
  if (names.length === 0) throw new ToolFailure('No notes are named: send `paths`, `ids` or a `folder` with notes.');
  if (names.length > NOTES_MAX) throw new ToolFailure(`These are ${names.length} notes; send at most ${NOTES_MAX}.`);
  context.spendWrites(names.length);
  const outcomes: Outcome[] = [];
  const missing: string[] = [];
  for (let at = 0; at < names.length; at += AT_ONCE) {
    if (at > 0) await context.progress(at, names.length);
    const slice = names.slice(at, at + AT_ONCE);
    const done = await Promise.all(slice.map((name) => changeOne(client, name, dry, context, edit)));
    done.forEach((outcome, index) => {
      const name = slice[index] as { path?: string; id?: string };
      if (outcome === null) missing.push(name.path ?? name.id ?? '');
      else outcomes.push(outcome);
    });
  }
  return answerOf(outcomes, missing, dry);
}

async function changeOne(
  client: VaultClient,
  name: { readonly path?: string; readonly id?: string },
  dry: boolean,
  context: ToolContext,
  edit: (note: Note) => string,
): Promise<Outcome | null> {
  for (let attempt = 1; ; attempt++) {
    const note = await readNote(client, name);
    if (note === null) return null;
    try {
      const content = edit(note);
      if (content === note.content) return { note, reason: null, written: null };
      const written = dry ? note : await writeOver(client, note, content, context);
      if (written !== null) return { note, reason: null, written };
      if (attempt >= TRIES) return { note, reason: 'is being changed by others', written: null };
    } catch (error) {
      if (error instanceof EditFailure) return { note, reason: error.message, written: null };
      throw error;
    }
  }
}

function answerOf(outcomes: readonly Outcome[], missing: readonly string[], dry: boolean): Answer {
  const changed = outcomes.filter(({ written }) => written !== null);
  const left = outcomes.filter(({ reason }) => reason !== null);
  const unchanged = outcomes.length - changed.length - left.length;
  const lead = `${dry ? 'Dry run: nothing was changed. Would change' : 'Changed'} ${counted(changed.length, 'note')}; ${unchanged} had this already, ${left.length} left as they are.`;
  const undo = dry || changed.length === 0 ? '' : ' To undo one: restore_note with the version in brackets.';
  const parts: Parts = [
    lead + undo,
    ...(changed.length === 0 ? [] : [data(changed.map((outcome) => changedLine(outcome, dry)).join('\n'))]),
    ...(left.length === 0
      ? []
      : ['Left as they are:', data(left.map(({ note, reason }) => `${note.path}: ${reason}`).join('\n'))]),
    ...(missing.length === 0 ? [] : ['There are no notes with these paths or ids:', data(missing.join('\n'))]),
  ];
  const structured = {
    ...{ notice: DATA_NOTICE, dry_run: dry, unchanged, missing },
    changed: changed.map(({ note, written }) => ({
      ...{ id: note.id, path: note.path, version_before: note.version },
      ...(dry ? {} : { hash: written?.content_hash }),
    })),
    left: left.map(({ note, reason }) => ({ id: note.id, path: note.path, reason })),
  };
  return { parts, structured };
}

function changedLine({ note, written }: Outcome, dry: boolean): string {
  return dry ? note.path : `${note.path}  ${written?.content_hash} (${note.version})`;
}
