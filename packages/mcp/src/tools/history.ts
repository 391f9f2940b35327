import type { NoteVersion } from '@notevault/protocol/notes.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { Type } from 'typebox';
import { chooseNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { moreLine, pageOf } from '../paging.ts';
import { DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { tool } from '../tool.ts';
import { cursor, id, input, path, vault } from './fields.ts';

const PAGE = 50;

export const getHistory = tool({
  name: 'get_history',
  title: 'History of a note',
  description: 'List the kept versions of a note, newest first; with version, show what changed since that one.',
  input: input({ vault, path, id, version: Type.Optional(Type.Integer({ minimum: 1 })), cursor }),
  rule: operations.listNoteVersions,
  async run({ vault: wanted, version, cursor: from, ...name }, context) {
    const client = await chooseVault(context, wanted);
    const note = await chooseNote(client, name);
    if (version !== undefined) {
      const old = await client.readVersion(note.id, version);
      if (old === null) throw new ToolFailure('This version is not kept. Call without version for those that are.');
      const diff = await context.diff(old.content, note.content);
      const structured = {
        notice: DATA_NOTICE,
        id: note.id,
        version,
        hash: old.content_hash,
        current_hash: note.content_hash,
        diff,
      };
      if (diff === null) return { parts: ['The difference could not be made. get_notes shows the text.'], structured };
      return { parts: diff === '' ? ['This version has the current text.'] : [data(diff)], structured };
    }
    const versions = await client.versionsOf(note.id);
    const page = pageOf(versions, from, { keyOf: orderOf, lineOf: versionLine, limit: PAGE });
    const structured = { notice: DATA_NOTICE, id: note.id, versions: page.items, cursor: page.next, left: page.left };
    return { parts: [data(page.lines.join('\n')), ...moreLine(page.next, page.left)], structured };
  },
});

/** Returns a key by which newer versions come first. */
function orderOf({ version }: NoteVersion): string {
  return String(Number.MAX_SAFE_INTEGER - version).padStart(16, '0');
}

function versionLine({ version, created_at: at, size_bytes: size, reason, actor }: NoteVersion): string {
  const client = actor.client === undefined ? '' : `, says it is ${actor.client}`;
  return `${version}  ${at}  ${size} bytes  ${reason} by ${actor.kind} "${actor.name}"${client}`;
}
