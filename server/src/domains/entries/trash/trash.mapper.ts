import type { TrashItem, TrashPage } from '@notevault/protocol/trash.ts';
import { isoTime } from '@notevault/protocol/values/time.ts';
import type { TrashedItem, TrashedItems } from './trash.ts';

export function toTrashPage({ items, nextCursor }: TrashedItems): TrashPage {
  return { items: items.map(toTrashItem), next_cursor: nextCursor };
}

function toTrashItem(item: TrashedItem): TrashItem {
  return {
    id: item.id,
    type: item.kind,
    path: item.path,
    title: item.title,
    deleted_at: isoTime(item.deletedAt),
    actor: { ...item.actor },
    size_bytes: item.sizeBytes,
    expires_at: isoTime(item.expiresAt),
  };
}
