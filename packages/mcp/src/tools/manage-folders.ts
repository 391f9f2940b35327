import type { VaultClient } from '@notevault/client/vault-client.ts';
import { foldPath, isInside, normalizePath } from '@notevault/note-text/paths.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import { chooseVault } from '../choose-vault.ts';
import { type Answer, DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { linksLeftOf } from '../text/links-left.ts';
import { withUndo } from '../text/undo-call.ts';
import { ADDS, CHANGES, tool } from '../tool.ts';
import { dryMove, input, text, vault } from './fields.ts';

export const createFolder = tool({
  name: 'create_folder',
  title: 'Create a folder',
  description: 'Create an empty folder. Notes create their folders by themselves.',
  input: input({ vault, path: text('') }),
  rule: operations.createFolder,
  hints: { ...ADDS, idempotentHint: true },
  async run({ vault: wanted, path }, context) {
    const client = await chooseVault(context, wanted);
    const { name, id } = await client.createFolder(path);
    const answer = { parts: ['The folder exists.', data(name)], structured: { notice: DATA_NOTICE, path: name, id } };
    return withUndo(client, answer, [], name);
  },
});

export const renameFolder = tool({
  name: 'rename_folder',
  title: 'Rename or move a folder',
  description: 'Give a folder and all that is in it a new path. Links are updated.',
  input: input({ vault, path: text(''), new_path: text('Must not exist.'), dry_run: dryMove }),
  rule: operations.renameFolder,
  hints: CHANGES,
  async run({ vault: wanted, path, new_path: target, dry_run: dry }, context) {
    const client = await chooseVault(context, wanted);
    if (dry === true) return wouldRename(client, normalizePath(path), normalizePath(target));
    const answer = await client.renameFolder(path, target);
    const { old_path: from, new_path: to, count, attachments } = answer;
    const left = linksLeftOf(answer);
    const structured = { notice: DATA_NOTICE, old_path: from, new_path: to, notes: count, attachments, ...left.fields };
    const lead = `Renamed, with ${counted(count, 'note')} and ${counted(attachments, 'attachment')}.`;
    const undo = { tool: 'rename_folder', arguments: { path: to, new_path: from } };
    return withUndo(client, { parts: [lead, data(`${from} → ${to}`), ...left.parts], structured }, [undo], to);
  },
});

/** Answers a dry run. Throws ToolFailure if the folder does not exist, or its new path is taken or inside of it. */
async function wouldRename(client: VaultClient, path: string, target: string): Promise<Answer> {
  const { folders, notes, attachments } = await client.tree();
  const exists = (name: string) => folders.some((folder) => foldPath(folder.name) === foldPath(name));
  const isSame = foldPath(path) === foldPath(target);
  if (!exists(path)) throw new ToolFailure('There is no such folder; nothing was done.', data(path));
  if (isInside(path, target)) throw new ToolFailure('A folder cannot move into itself; nothing was done.');
  const isTaken = [...notes, ...attachments].some((entry) => foldPath(entry.path) === foldPath(target));
  if (!isSame && (exists(target) || isTaken)) {
    throw new ToolFailure('The new path is taken, so the rename would fail; nothing was done.', data(target));
  }
  const count = (entries: readonly { readonly path: string }[]) =>
    entries.filter((entry) => isInside(path, entry.path)).length;
  const counts = { notes: count(notes), attachments: count(attachments) };
  const left = linksLeftOf(await client.renameFolder(path, target, true), true);
  const paths = { old_path: path, new_path: target };
  const structured = { notice: DATA_NOTICE, dry_run: true, ...paths, ...counts, ...left.fields };
  return {
    parts: [
      `Dry run: nothing was renamed. It has ${counted(counts.notes, 'note')} and ${counted(counts.attachments, 'attachment')}.`,
      data(`${path} → ${target}`),
      ...left.parts,
    ],
    structured,
  };
}
