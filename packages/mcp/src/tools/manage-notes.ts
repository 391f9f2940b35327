import type { VaultClient } from '@notevault/client/vault-client.ts';
import {
  fileName,
  folderOf,
  foldPath,
  joinPath,
  normalizeNotePath,
  normalizePath,
} from '@notevault/note-text/paths.ts';
import type { LinksLeft } from '@notevault/protocol/links.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import { Type } from 'typebox';
import { chooseNote, type NoteName, withExtension } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { type Answer, DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { linksLeftOf } from '../text/links-left.ts';
import { trashLine } from '../text/trash-line.ts';
import { withUndo } from '../text/undo-call.ts';
import { ADDS, CHANGES, type ToolContext, tool } from '../tool.ts';
import { changeNote, checkSize, createAt, shownDiff, sizeOf, staleText, undoOf, undoOfCreated } from './change-note.ts';
import { baseHash, dryDelete, dryMove, dryRun, id, input, path, text, vault } from './fields.ts';

/** Maximum number of items that one call changes. */
const ITEMS_MAX = 100;

export const createNote = tool({
  name: 'create_note',
  title: 'Create a note',
  description: 'Create a note. Never overwrites: fails if the path is taken.',
  input: input({ vault, path: text('Ends in .md.'), content: text('Markdown.'), dry_run: dryRun }),
  rule: operations.upsertNote,
  hints: ADDS,
  async run({ vault: wanted, path: sent, content, dry_run: dry }, context) {
    const client = await chooseVault(context, wanted);
    const path = normalizeNotePath(withExtension(sent));
    const taken = () =>
      new ToolFailure(
        'There is a note at this path already; nothing was done. Read it with get_notes and change it with edit_note, or choose another path.',
        data(path),
      );
    if ((await client.readNote(path)) !== null) throw taken();
    if (dry === true) {
      checkSize(content);
      const structured = { notice: DATA_NOTICE, path, created: false, dry_run: true, size_after: sizeOf(content) };
      return {
        parts: [`Dry run: nothing was done. The note would have ${sizeOf(content)} bytes.`, data(path)],
        structured,
      };
    }
    const note = await createAt(client, path, content, context);
    if (note === null) throw taken();
    const { id, content_hash: hash, version } = note;
    const size = sizeOf(note.content);
    const structured = { notice: DATA_NOTICE, id, path: note.path, created: true, hash, version, size_after: size };
    const parts = [`Created. Id ${id}, ${size} bytes, hash ${hash}.`, data(note.path)];
    return withUndo(client, { parts, structured }, [undoOfCreated(note)], note.path);
  },
});

export const renameNote = tool({
  name: 'rename_note',
  title: 'Rename or move a note',
  description: 'Give a note a new path. Links to it are updated.',
  input: input({ vault, path, id, new_path: text('Ends in .md.'), base_hash: baseHash, dry_run: dryMove }),
  rule: operations.renameNote,
  hints: CHANGES,
  async run({ vault: wanted, new_path: sent, base_hash: hash, dry_run: dry, ...name }, context) {
    const client = await chooseVault(context, wanted);
    const note = await chooseNote(client, name);
    if (hash !== undefined && hash !== note.content_hash) throw await staleText(client, note, hash, context);
    const target = normalizeNotePath(withExtension(sent));
    if (dry === true) {
      const moves = [{ note, to: target }];
      return wouldMove(
        client,
        moves,
        () => client.renameNote(note.path, target, true),
        await linkingNotes(client, note),
      );
    }
    const answer = await client.renameNote(note.path, target);
    const { old_path: from, new_path: to, note: renamed } = answer;
    const [linking, left] = [await linkingNotes(client, note), linksLeftOf(answer)];
    const structured = {
      notice: DATA_NOTICE,
      id: note.id,
      old_path: from,
      new_path: to,
      hash: renamed.content_hash,
      linking_notes: linking,
      ...left.fields,
    };
    const lead = `Renamed. ${counted(linking, 'note links', 'notes link')} to it under its new name. Hash ${renamed.content_hash}.`;
    const undo = { tool: 'rename_note', arguments: { id: note.id, new_path: from } };
    return withUndo(client, { parts: [lead, data(`${from} → ${to}`), ...left.parts], structured }, [undo], to);
  },
});

/** Returns the number of notes that link to a note. */
async function linkingNotes(client: VaultClient, { id }: Note): Promise<number> {
  return new Set((await client.backlinksOf(id)).map(({ source_note_id: source }) => source)).size;
}

export const moveNotes = tool({
  name: 'move_notes',
  title: 'Move notes',
  description: 'Move up to 100 notes into a folder, all or none. Links to them are updated.',
  input: input({
    vault,
    paths: Type.Optional(Type.Array(Type.String(), { maxItems: ITEMS_MAX })),
    ids: Type.Optional(Type.Array(Type.String(), { maxItems: ITEMS_MAX })),
    folder: text('Target; "" is the root.'),
    dry_run: dryMove,
  }),
  rule: operations.moveNotes,
  hints: CHANGES,
  async run({ vault: wanted, paths = [], ids = [], folder, dry_run: dry }, context) {
    const count = paths.length + ids.length;
    if (count === 0) throw new ToolFailure('Send `paths` or `ids`.');
    if (count > ITEMS_MAX) throw new ToolFailure(`Send at most ${ITEMS_MAX} notes.`);
    const client = await chooseVault(context, wanted);
    const named = new Map<string, Note>();
    // Notes named by id are read too, because the answer says where each note was.
    const names = [...paths.map((path) => ({ path })), ...ids.map((id) => ({ id }))];
    for (const name of names) {
      const note = await chooseNote(client, name);
      named.set(note.id, note);
    }
    const target = /^[/\s]*$/.test(folder) ? '' : normalizePath(folder);
    if (dry === true) {
      const moves = [...named.values()].map((note) => ({ note, to: joinPath(target, fileName(note.path)) }));
      return wouldMove(client, moves, () => client.moveNotes([...named.keys()], folder, true), null);
    }
    const all = [...named.keys()];
    const left = linksLeftOf(await client.moveNotes(all, folder));
    const lead = [`Moved ${counted(all.length, 'note')} to this folder:`, data(folder === '' ? '(the root)' : folder)];
    const structured = { notice: DATA_NOTICE, moved: all.length, folder, ...left.fields };
    const answer = { parts: [...lead, ...left.parts], structured };
    const moved = [...named.values()].filter(({ path }) => foldPath(folderOf(path)) !== foldPath(target));
    const [first] = moved;
    if (first === undefined) return answer;
    const undo = [...Map.groupBy(moved, ({ path }) => folderOf(path))].map(([source, notes]) => ({
      tool: 'move_notes',
      arguments: { ids: notes.map(({ id }) => id), folder: source },
    }));
    return withUndo(client, answer, undo, joinPath(target, fileName(first.path)));
  },
});

interface Move {
  readonly note: Note;
  readonly to: string;
}

/**
 * Answers a dry run of moves. Throws ToolFailure if one of them would fail because its new path is taken.
 *
 * @param attempt the dry run of the server.
 * @param linking how many notes link to the only note that moves.
 */
async function wouldMove(
  client: VaultClient,
  moves: readonly Move[],
  attempt: () => Promise<{ links_left?: LinksLeft[] }>,
  linking: number | null,
): Promise<Answer> {
  const targets = new Set<string>();
  const taken: string[] = [];
  for (const { note, to } of moves) {
    const there = await client.readNote(to);
    if ((there !== null && there.id !== note.id) || targets.has(foldPath(to))) taken.push(to);
    targets.add(foldPath(to));
  }
  if (taken.length > 0) {
    throw new ToolFailure('These paths are taken, so the move would fail; nothing was done.', data(taken.join('\n')));
  }
  const left = linksLeftOf(await attempt(), true);
  const structured = {
    notice: DATA_NOTICE,
    dry_run: true,
    ...left.fields,
    moves: moves.map(({ note, to }) => ({ id: note.id, old_path: note.path, new_path: to, hash: note.content_hash })),
    ...(linking === null ? {} : { linking_notes: linking }),
  };
  const links = linking === null ? '' : ` ${counted(linking, 'note links', 'notes link')} to it.`;
  const lines = moves.map(({ note, to }) => `${note.path} → ${to}`);
  return { parts: [`Dry run: nothing was moved.${links}`, data(lines.join('\n')), ...left.parts], structured };
}

export const deleteNote = tool({
  name: 'delete_note',
  title: 'Delete a note',
  description: 'Move a note to the trash, from which restore_note brings it back by its id.',
  input: input({ vault, path, id, base_hash: baseHash, dry_run: dryDelete }),
  rule: operations.deleteNoteById,
  hints: CHANGES,
  async run({ vault: wanted, base_hash: hash, dry_run: dry, ...name }, context) {
    const client = await chooseVault(context, wanted);
    const note = await chooseNote(client, name);
    if (hash !== undefined && hash !== note.content_hash) throw await staleText(client, note, hash, context);
    const linking = await linkingNotes(client, note);
    if (dry === true) {
      const fields = { id: note.id, path: note.path, hash: note.content_hash, deleted: false, dry_run: true };
      const lead = `Dry run: nothing was deleted. ${counted(linking, 'note links', 'notes link')} to this one.`;
      return { parts: [lead, data(note.path)], structured: { notice: DATA_NOTICE, ...fields, linking_notes: linking } };
    }
    // With the hash, a text that somebody has just written is not deleted.
    await client.deleteNote(note.id, note.content_hash);
    const structured = { notice: DATA_NOTICE, id: note.id, path: note.path, deleted: true, linking_notes: linking };
    const lead = `Moved to the trash. ${counted(linking, 'note links', 'notes link')} to it.`;
    const undo = { tool: 'restore_note', arguments: { id: note.id } };
    return withUndo(client, { parts: [lead, data(note.path)], structured }, [undo], note.path);
  },
});

export const restoreNote = tool({
  name: 'restore_note',
  title: 'Restore a note',
  description:
    'With version: give a note the text of that version again. Without: bring a note back from the trash by its id or path.',
  input: input({
    vault,
    path: Type.Optional(
      Type.String({ description: 'The note; from the trash, with id: where to, if not where it was.' }),
    ),
    id,
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    base_hash: baseHash,
    dry_run: dryRun,
  }),
  rule: operations.restoreNoteVersion,
  hints: CHANGES,
  async run({ vault: wanted, version, base_hash: hash, dry_run: dry, ...name }, context) {
    const client = await chooseVault(context, wanted);
    if (version === undefined) return fromTrash(client, name, dry);
    const note = await chooseNote(client, name);
    const old = await client.readVersion(note.id, version);
    if (old === null) {
      throw new ToolFailure('This version is not kept; nothing was changed. get_history lists those that are.');
    }
    const options = {
      ...(hash === undefined ? {} : { base_hash: hash }),
      ...(dry === undefined ? {} : { dry_run: dry }),
    };
    if (dry === true || hash !== undefined || old.content === note.content) {
      return changeNote(client, { id: note.id }, options, context, () => old.content);
    }
    const written = await client.restoreVersion(note.id, version);
    // Somebody may have changed the note after it was read.
    const undo = undoOf({ id: note.id, version: written.version - 1 }, written);
    return withUndo(client, await restored(note, version, written, context), [undo], written.path);
  },
});

async function fromTrash(client: VaultClient, { id, path }: NoteName, dry: boolean | undefined): Promise<Answer> {
  if (id === undefined && path === undefined) {
    throw new ToolFailure('Send `id` or `path` for a note in the trash, or `version` for an older text.');
  }
  if (dry === true) throw new ToolFailure('There is no dry run of bringing a note back; nothing was done.');
  const { note, attachment } =
    id === undefined
      ? await client.restoreFromTrash(await trashedAt(client, path ?? ''))
      : await client.restoreFromTrash(id, path);
  const { path: at, content_hash: hash } = note ?? attachment ?? { path: '', content_hash: '' };
  const restoredId = (note ?? attachment)?.id ?? id;
  const structured = { notice: DATA_NOTICE, id: restoredId, path: at, restored: 'from the trash', hash };
  // Attachments have no tool that deletes them.
  const undo = note === undefined ? [] : [undoOfCreated(note)];
  return withUndo(client, { parts: [`Restored from the trash. Hash ${hash}.`, data(at)], structured }, undo, at);
}

/** Returns the id of the only deleted entry that had a path. Throws ToolFailure if there is none, or several. */
async function trashedAt(client: VaultClient, path: string): Promise<string> {
  const [named, notes] = await Promise.all([client.trash(null, path), client.trash(null, withExtension(path))]);
  const items = named.items.length > 0 ? named.items : notes.items;
  const [only] = items;
  if (only !== undefined && items.length === 1) return only.id;
  if (only === undefined)
    throw new ToolFailure('Nothing in the trash had this path; nothing was done. list_trash shows what is there.');
  throw new ToolFailure(
    'Several deleted entries had this path; nothing was done. Send the `id` of one:',
    data(items.map(trashLine).join('\n')),
  );
}

async function restored(before: Note, version: number, note: Note, context: ToolContext): Promise<Answer> {
  const diff = await context.diff(before.content, note.content);
  const [was, is] = [sizeOf(before.content), sizeOf(note.content)];
  const structured = {
    notice: DATA_NOTICE,
    id: note.id,
    path: note.path,
    restored: version,
    hash: note.content_hash,
    version: note.version,
    version_before: before.version,
    size_before: was,
    size_after: is,
    diff,
  };
  const lead = `Restored version ${version}. ${was} → ${is} bytes, version ${note.version}, hash ${note.content_hash}.`;
  return { parts: [lead, ...shownDiff(note.path, diff)], structured };
}
