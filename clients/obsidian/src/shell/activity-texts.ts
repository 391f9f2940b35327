import type { ActivityAction, ActivityChange, ActivityItem, ActivityUndone } from '@notevault/protocol/activity.ts';
import { type TextKey, text } from '../texts/texts.ts';

const DONE: Readonly<Record<ActivityAction, TextKey>> = {
  write: 'didWrite',
  delete: 'didDelete',
  move: 'didMove',
  restore: 'didRestore',
  import: 'didImport',
  undo: 'didUndo',
  people: 'didPeople',
  purge: 'didPurge',
};

const OPS: Readonly<Record<ActivityChange['op'], TextKey>> = {
  create: 'created',
  edit: 'changed',
  delete: 'deleted',
  move: 'moved',
  restore: 'opRestored',
};

const LEFT: Readonly<Record<ActivityUndone['left'][number]['reason'], TextKey>> = {
  history_thinned: 'leftThinned',
  shared_edit: 'leftShared',
  changed_by_others: 'leftChanged',
  path_taken: 'leftTaken',
  trash_full: 'leftTrashFull',
  unreadable: 'leftUnreadable',
};

/** Says what an activity item did. */
export function doneText({ action, count, people }: ActivityItem): string {
  const concerned = people?.display_name ?? null;
  return `${text(DONE[action], { count })}${concerned === null ? '' : ` (${concerned})`}`;
}

/** Names who did an activity item: another person, or the caller's credential, and the assistant. */
export function whoText({ actor }: Pick<ActivityItem, 'actor'>): string {
  const person = actor.display_name === undefined ? actor.name : (actor.display_name ?? text('noName'));
  return actor.client === undefined ? person : `${person}, ${actor.client}`;
}

/** Says what changed in an entry. */
export function changeTexts({ op, from, path }: ActivityChange): string {
  return `${text(OPS[op])} · ${from === undefined ? '' : `${from} → `}${path}`;
}

/** Says which entry an undo leaves and why. */
export function leftText({ path, reason }: ActivityUndone['left'][number]): string {
  return `${path}: ${text(LEFT[reason])}`;
}
