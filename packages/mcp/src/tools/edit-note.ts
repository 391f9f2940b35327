import type { VaultClient } from '@notevault/client/vault-client.ts';
import { normalizeNotePath } from '@notevault/note-text/paths.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { Type } from 'typebox';
import { readNote, withExtension } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { applyNoteEdits } from '../edits/apply-edits.ts';
import { EditFailure, type NoteEdit, overwritesUnquoted } from '../edits/edit.ts';
import { type Answer, DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { withUndo } from '../text/undo-call.ts';
import { ADDS, CHANGES, type ToolContext, tool } from '../tool.ts';
import { changeNote, createAt, undoOfCreated } from './change-note.ts';
import { baseHash, dryRun, id, input, path, text, vault } from './fields.ts';
import { editRefused } from './note-view.ts';

const EDITS_MAX = 50;
const HEADING_MAX = 1_000;

/** Flat, because hosts show models alternatives badly; what an operation needs is checked here. */
const Edit = Type.Object(
  {
    op: Type.Enum([
      ...['replace_text', 'replace_section', 'insert_before', 'insert_after', 'append', 'prepend'],
      ...['set_property', 'remove_property'],
    ] as NoteEdit['op'][]),
    old_text: Type.Optional(
      Type.String({ description: 'replace_text: exact text, occurring expected_replacements (1) times.' }),
    ),
    new_text: Type.Optional(Type.String()),
    expected_replacements: Type.Optional(Type.Integer({ minimum: 1 })),
    heading: Type.Optional(
      Type.String({
        maxLength: HEADING_MAX,
        description:
          'Section operations: heading path, "Plan > Week 1". append and prepend without it: the whole note.',
      }),
    ),
    text: Type.Optional(Type.String({ description: 'Section operations. replace_section keeps the heading.' })),
    key: Type.Optional(Type.String({ description: 'Frontmatter key.' })),
    value: Type.Optional(Type.Unknown({ description: 'Any JSON.' })),
  },
  { additionalProperties: false },
);

export const editNote = tool({
  name: 'edit_note',
  title: 'Edit a note',
  description:
    'Apply edits to a note, all or none. replace_section and the property operations need base_hash. Answers with a diff and the new hash.',
  input: input({
    vault,
    path,
    id,
    edits: Type.Array(Edit, { minItems: 1, maxItems: EDITS_MAX }),
    base_hash: baseHash,
    dry_run: dryRun,
  }),
  rule: operations.upsertNote,
  hints: CHANGES,
  async run({ vault: wanted, path, id, edits: sent, ...options }, context) {
    const edits = sent.map(editOf);
    if (options.base_hash === undefined && options.dry_run !== true && edits.some(overwritesUnquoted)) {
      throw new ToolFailure(
        'replace_section, set_property and remove_property replace text that they do not quote; nothing was changed.',
        'Read the note with get_notes and send its hash as base_hash.',
      );
    }
    const client = await chooseVault(context, wanted);
    const name = { ...(path === undefined ? {} : { path }), ...(id === undefined ? {} : { id }) };
    return changeNote(client, name, options, context, (content) => applyNoteEdits(content, edits));
  },
});

type SentEdit = { op: NoteEdit['op'] } & Partial<Record<string, unknown>>;

const NEEDS: Readonly<Record<NoteEdit['op'], readonly string[]>> = {
  replace_text: ['old_text', 'new_text'],
  replace_section: ['heading', 'text'],
  insert_before: ['heading', 'text'],
  insert_after: ['heading', 'text'],
  append: ['text'],
  prepend: ['text'],
  set_property: ['key', 'value'],
  remove_property: ['key'],
};
const MAY: Readonly<Record<string, readonly string[]>> = {
  replace_text: ['expected_replacements'],
  append: ['heading'],
  prepend: ['heading'],
};

/** Throws ToolFailure for an edit that lacks what its operation needs, or has what it would ignore. */
function editOf(sent: SentEdit): NoteEdit {
  const { op, ...fields } = sent;
  const needs = NEEDS[op];
  const missing = needs.filter((field) => fields[field] === undefined);
  const extra = Object.keys(fields).filter((field) => ![...needs, ...(MAY[op] ?? [])].includes(field));
  if (missing.length === 0 && extra.length === 0) return sent as unknown as NoteEdit;
  const faults = [...missing.map((field) => `lacks ${field}`), ...extra.map((field) => `does not take ${field}`)];
  throw new ToolFailure(
    `${op} ${faults.join(', ')}; nothing was changed. It takes ${[...needs, ...(MAY[op] ?? [])].join(', ')}.`,
  );
}

export const appendToNote = tool({
  name: 'append_to_note',
  title: 'Append to a note',
  description: 'Add text at the end of a note, or of one section.',
  input: input({
    vault,
    path,
    id,
    text: text('Markdown.'),
    heading: Type.Optional(Type.String({ maxLength: HEADING_MAX })),
    create: Type.Optional(Type.Boolean({ description: 'Create the note if it does not exist.' })),
    base_hash: baseHash,
    dry_run: dryRun,
  }),
  rule: operations.appendToNote,
  hints: ADDS,
  async run({ vault: wanted, path, id, text, heading, create = false, ...options }, context) {
    const client = await chooseVault(context, wanted);
    if (create && path !== undefined && options.dry_run !== true && (await readNote(client, { path })) === null) {
      const made = await createdWith(client, path, withHeading(text, heading), context);
      if (made !== null) return made;
    }
    const name = { ...(path === undefined ? {} : { path }), ...(id === undefined ? {} : { id }) };
    const edit: NoteEdit = { op: 'append', text, ...(heading === undefined ? {} : { heading }) };
    return changeNote(client, name, options, context, (content) => {
      try {
        return applyNoteEdits(content, [edit]);
      } catch (error) {
        throw error instanceof EditFailure ? editRefused(error) : error;
      }
    });
  },
});

/** Creates a note with a text; null if somebody has just created one there. */
async function createdWith(
  client: VaultClient,
  sent: string,
  content: string,
  context: ToolContext,
): Promise<Answer | null> {
  const note = await createAt(client, normalizeNotePath(withExtension(sent)), content, context);
  if (note === null) return null;
  const { id, path, content_hash: hash, version } = note;
  const structured = { notice: DATA_NOTICE, id, path, created: true, hash, version };
  const parts = [`Created the note. Hash ${hash}, version ${version}.`, data(path)];
  return withUndo(client, { parts, structured }, [undoOfCreated(note)], path);
}

/** Puts a text under new headings, one for each part of a heading path. */
function withHeading(text: string, heading: string | undefined): string {
  const names = heading?.split(' > ') ?? [];
  const lines = names.map(
    (name, depth) => `${'#'.repeat(Math.min(depth + 1, 6))} ${name.replace(/^#+\s*/, '').trim()}\n\n`,
  );
  const body = `${lines.join('')}${text}`;
  return body.endsWith('\n') ? body : `${body}\n`;
}
