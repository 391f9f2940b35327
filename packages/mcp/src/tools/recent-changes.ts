import {
  ACTIVITY_ACTIONS,
  type ActivityChange,
  type ActivityItem,
  type ActivityUndone,
} from '@notevault/protocol/activity.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import { Type } from 'typebox';
import { chooseNote } from '../choose-note.ts';
import { chooseVault } from '../choose-vault.ts';
import { fittingPage, moreLine } from '../paging.ts';
import { DATA_NOTICE, data, type Parts, ToolFailure } from '../text/answer.ts';
import { cutTo } from '../text/tokens.ts';
import { CHANGES, tool } from '../tool.ts';
import { cursor, id, input, limit, optional, path, text, vault } from './fields.ts';

/** Maximum number of entries that the answer of an undo names. */
const LEFT_MAX = 50;
/** Maximum tokens of an item in a list. */
const ITEM_TOKENS = 4_000;

export const recentChanges = tool({
  name: 'recent_changes',
  title: 'Recent changes',
  description: 'List who changed what in the last 90 days, newest first: edits with differences, deletions, renames.',
  input: input({
    vault,
    since: Type.Optional(Type.String({ format: 'date-time', description: 'ISO 8601.' })),
    by: optional('Id of a person.'),
    action: Type.Optional(Type.Enum([...ACTIVITY_ACTIONS])),
    path,
    id,
    limit: limit(50, 10),
    cursor,
  }),
  rule: operations.listActivity,
  async run({ vault: wanted, since, by, action, limit: most = 10, cursor: from, ...name }, context) {
    const client = await chooseVault(context, wanted);
    const note = name.path === undefined && name.id === undefined ? null : await chooseNote(client, name);
    const query = {
      diffs: 'true',
      ...(since === undefined ? {} : { since }),
      ...(by === undefined ? {} : { actor: by }),
      ...(action === undefined ? {} : { action }),
      ...(note === null ? {} : { note: note.id }),
      ...(from === undefined ? {} : { cursor: from }),
    } as const;
    const {
      items,
      lines,
      next_cursor: next,
    } = await fittingPage(
      most,
      (limit) => client.activity({ ...query, limit: String(limit) }),
      ({ items }) => items.map((item) => cutTo(itemText(item), ITEM_TOKENS)),
    );
    const structured = { notice: DATA_NOTICE, items, cursor: next };
    const shown = items.length === 0 ? 'No change was found.' : data(lines.join('\n\n'));
    return { parts: [shown, ...moreLine(next)], structured };
  },
});

function itemText({ changes = [], ...item }: ActivityItem): string {
  const links = item.relinked === undefined ? '' : `, links in ${counted(item.relinked, 'note')} follow`;
  const what = item.people?.change ?? `${item.action}, ${counted(item.count, 'change')}${links}`;
  const undone = item.undone_by === null ? '' : ', undone';
  const head = `${item.id}  ${item.at}  ${what} by ${whoText(item)}${undone}`;
  const lines = changes.flatMap((change) => [`- ${changeText(change)}`, ...differenceText(change)]);
  return [head, ...lines].join('\n');
}

function whoText({ actor: { kind, name, client, user_id: person, display_name: other } }: ActivityItem): string {
  const who = other === undefined ? `"${name}"` : `"${other ?? 'deleted account'}" (${person})`;
  return `${kind} ${who}${client === undefined ? '' : `, says it is ${client}`}`;
}

function changeText({ op, from, path: at }: Pick<ActivityChange, 'op' | 'from' | 'path'>): string {
  return `${op} ${from === undefined ? '' : `${from} → `}${at}`;
}

function differenceText({ difference = [] }: ActivityChange): string[] {
  const marks = { same: ['', ''], added: ['[+', '+]'], removed: ['[-', '-]'] } as const;
  return difference.length === 0 ? [] : [difference.map(({ kind, text: piece }) => marks[kind].join(piece)).join('')];
}

export const undoChange = tool({
  name: 'undo_change',
  title: 'Undo a change',
  description: 'Undo an item of recent_changes. Later changes by others stay; what cannot be undone is left and named.',
  input: input({
    vault,
    item: text('Its id.'),
    dry_run: Type.Optional(Type.Boolean({ description: 'Only show what would change.' })),
  }),
  rule: operations.undoActivity,
  hints: { ...CHANGES, idempotentHint: true },
  async run({ vault: wanted, item, dry_run: dry = false }, context) {
    const client = await chooseVault(context, wanted);
    if ((await client.readActivity(item)) === null) {
      throw new ToolFailure('There is no such item; nothing was done. recent_changes lists them.');
    }
    const outcome = await client.undoActivity(item, dry);
    const structured = { notice: DATA_NOTICE, ...outcome, dry_run: dry };
    return { parts: [summary(outcome), ...listed(outcome), ...undoOfUndo(outcome)], structured };
  },
});

function summary({ undone, merged, left, item }: ActivityUndone): string {
  const lead = item === null ? 'Dry run: nothing was undone. Would undo' : 'Undid';
  const kept = merged === 0 ? '' : `, ${merged} of them with later changes, which stay`;
  return `${lead} changes of ${counted(undone, 'entry', 'entries')}${kept}; ${left.length} left.`;
}

function listed({ left, changes = [] }: ActivityUndone): Parts {
  const lines = [
    ...changes.flatMap((change) => [changeText(change), ...differenceText(change)]),
    ...left.slice(0, LEFT_MAX).map(({ path: at, reason }) => `left (${reason}): ${at}`),
  ];
  const more = left.length > LEFT_MAX ? [`${left.length - LEFT_MAX} more are left.`] : [];
  return lines.length === 0 ? [] : [data(lines.join('\n')), ...more];
}

function undoOfUndo({ item, undone }: ActivityUndone): string[] {
  if (item === null || undone === 0) return [];
  return [`Its item of recent_changes is ${item}.`, `To undo exactly this: undo_change ${JSON.stringify({ item })}`];
}
