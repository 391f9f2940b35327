import type { SyncChange, VaultTree } from '@notevault/protocol/sync.ts';

/**
 * Returns the tree after changes of the feed; the same object if nothing of it changed that the tree shows. A folder
 * that lost its last entry stays until the tree is read again, because the feed does not say whether it was made on
 * purpose.
 */
export function patchTree(tree: VaultTree, changes: readonly SyncChange[]): VaultTree {
  const notes = new Map<string, VaultTree['notes'][number]>();
  const attachments = new Map<string, VaultTree['attachments'][number]>();
  const touched = new Set(changes.map(({ id }) => id));
  const before = new Map(
    [...tree.notes, ...tree.attachments].filter(({ id }) => touched.has(id)).map((row) => [row.id, row]),
  );
  let isChanged = tree.unreadable?.some(({ id }) => touched.has(id)) ?? false;
  for (const change of changes) {
    const old = before.get(change.id);
    isChanged ||= change.deleted
      ? old !== undefined
      : old === undefined || old.path !== change.path || 'size_bytes' in old;
    if (change.deleted) continue;
    if (change.type === 'note') notes.set(change.id, noteOf(change, old));
    else attachments.set(change.id, attachmentOf(change));
  }
  if (!isChanged) return tree;
  return {
    ...tree,
    change_seq: Math.max(tree.change_seq, ...changes.map(({ seq }) => seq)),
    notes: [...tree.notes.filter(({ id }) => !touched.has(id)), ...notes.values()],
    attachments: [...tree.attachments.filter(({ id }) => !touched.has(id)), ...attachments.values()],
    // The feed flags rows that are still damaged, and they are not among the changes.
    ...(tree.unreadable && { unreadable: tree.unreadable.filter(({ id }) => !touched.has(id)) }),
  };
}

function noteOf({ id, path, updated_at }: SyncChange, old: object | undefined): VaultTree['notes'][number] {
  if (old === undefined || !('created_at' in old)) return { id, path, created_at: updated_at, updated_at };
  // The feed names neither; the aliases are read again with the tree.
  return { ...(old as VaultTree['notes'][number]), path, updated_at };
}

function attachmentOf(change: SyncChange): VaultTree['attachments'][number] {
  const { id, path, mtime, updated_at, size_bytes = 0, mime_type = null } = change;
  return { id, path, mtime, updated_at, size_bytes, mime_type };
}
