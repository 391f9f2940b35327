import { chooseVault } from '../choose-vault.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { ADDS, CHANGES, tool } from '../tool.ts';
import { input, text, vault } from './fields.ts';

export const createFolder = tool({
  name: 'create_folder',
  title: 'Create a folder',
  description: 'Create an empty folder. Notes create their folders by themselves.',
  input: input({ vault, path: text('') }),
  hints: { ...ADDS, idempotentHint: true },
  async run({ vault: wanted, path }, context) {
    const client = await chooseVault(context, wanted);
    const { name, id } = await client.createFolder(path);
    return { parts: ['The folder exists.', data(name)], structured: { notice: DATA_NOTICE, path: name, id } };
  },
});

export const renameFolder = tool({
  name: 'rename_folder',
  title: 'Rename or move a folder',
  description: 'Give a folder and all that is in it a new path. Links are updated.',
  input: input({ vault, path: text(''), new_path: text('Must not exist.') }),
  hints: CHANGES,
  async run({ vault: wanted, path, new_path: target }, context) {
    const client = await chooseVault(context, wanted);
    const { old_path: from, new_path: to, count, attachments } = await client.renameFolder(path, target);
    const structured = { notice: DATA_NOTICE, old_path: from, new_path: to, notes: count, attachments };
    return {
      parts: [`Renamed, with ${count} notes and ${attachments} attachments.`, data(`${from} → ${to}`)],
      structured,
    };
  },
});
