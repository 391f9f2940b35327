import type { TrashItem } from '@notevault/protocol/trash.ts';

/** Formats an entry of the trash as one line of data. */
export function trashLine({ id, type, path, deleted_at: at, actor }: TrashItem): string {
  return `${id}  ${type}  ${path}  (deleted ${at.slice(0, 19)}Z by ${actor.kind} "${actor.name}")`;
}
