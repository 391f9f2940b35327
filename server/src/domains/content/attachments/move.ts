import { fileName, joinPath, normalizePath, PathError } from '@notevault/note-text/paths.ts';
import type { AttachmentRenamed } from '@notevault/protocol/attachments.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { MovedCount } from '@notevault/protocol/links.ts';
import type { RenameBody } from '@notevault/protocol/values/schemas.ts';
import type { MoveRoot, WriteContext } from '../entries/entries.ts';
import { folderPathFrom, pathFrom } from '../entries/request-paths.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { toAttachment } from './attachments.mapper.ts';
import type { AttachmentDeps } from './attachments.ts';
import { openAttachment } from './sealed-attachment.ts';
import { allowedExtension, checkEnabled } from './uploads/upload.ts';

const MOVE_MAX = 1000;

/**
 * Renames or moves the attachment at a path and updates links and embeds. Throws `limit_exceeded` for a plan without
 * attachments, `attachment_item_not_found`, `conflict`, `extension_not_allowed`.
 */
export async function renameAttachment(
  deps: AttachmentDeps,
  context: WriteContext<AttachmentRenamed>,
  sent: RenameBody,
): Promise<AttachmentRenamed> {
  const dryRun = sent.dry_run === true;
  const { entries } = deps;
  const { vault } = context;
  checkEnabled(vault);
  const [from, to] = [pathFrom(sent.old_path, 'old_path'), pathFrom(sent.new_path, 'new_path')];
  return entries.moveOne(context, to, {
    async find() {
      const roots = await rootsAt(deps, vault, [from], () => to).catch(withoutItem);
      allowedExtension(deps, to);
      return roots;
    },
    field: 'new_path',
    dryRun,
    async answer(handle, { named: [moved], left }) {
      const [row] = await entries.rowsById(handle, vault.id, 'attachment', [moved?.id ?? '']);
      if (row === undefined) throw new NotevaultError('attachment_item_not_found');
      const attachment = toAttachment(openAttachment(vault, row));
      const paths = { old_path: moved?.from ?? from, new_path: moved?.to ?? attachment.path };
      return { renamed: !dryRun, ...left, ...paths, attachment };
    },
  });
}

/**
 * Moves attachments into a folder, all or none; counts those requested. Throws `limit_exceeded`,
 * `missing_paths_or_target`, `invalid_ids`, `too_many_items`; `attachment_item_not_found`, `conflict` with `item_path`.
 */
export async function moveAttachments(
  deps: AttachmentDeps,
  context: WriteContext<MovedCount>,
  { paths: sent, target_folder: target, dry_run: dry }: { paths?: unknown; target_folder?: unknown; dry_run?: unknown },
): Promise<MovedCount> {
  const { vault } = context;
  checkEnabled(vault);
  if (sent === undefined || sent === null || typeof target !== 'string') {
    throw new NotevaultError('missing_paths_or_target');
  }
  const paths = itemPaths(sent, MOVE_MAX, 'too_many_items');
  const folder = folderPathFrom(target, 'target_folder');
  let pathOf = new Map<string, string>();
  const find = async () => {
    const roots = await rootsAt(deps, vault, paths, (path) => joinPath(folder, fileName(path)));
    pathOf = new Map(roots.map(({ id }, index) => [id, paths[index] ?? '']));
    return [...new Map(roots.map((root) => [root.id, root])).values()];
  };
  const request = { find, field: 'target_folder', dryRun: dry === true };
  return deps.entries
    .moveMany(context, request, () => pathOf.size)
    .catch((error) => {
      if (!(error instanceof NotevaultError) || !('item_id' in error.details)) throw error;
      throw new NotevaultError(error.code, { item_path: pathOf.get(String(error.details.item_id)) ?? null }, error);
    });
}

/** Returns the attachments at the paths, in the same order. Throws `attachment_item_not_found`. */
async function rootsAt(
  { db, entries }: AttachmentDeps,
  vault: OpenVault,
  paths: readonly string[],
  toOf: (path: string) => string,
): Promise<MoveRoot[]> {
  const keys = paths.map((path) => entries.pathKey(vault, path));
  const rows = await entries.rowsAt(db, vault.id, 'attachment', keys);
  const rowAt = new Map(rows.map((row) => [row.path_key.toString('hex'), row]));
  return paths.map((path, index) => {
    const row = rowAt.get(keys[index]?.toString('hex') ?? '');
    if (row === undefined) throw new NotevaultError('attachment_item_not_found', { item_path: path });
    const from = openAttachment(vault, row).meta.path;
    return { kind: 'attachment', id: row.id, from, to: toOf(from) };
  });
}

/** Rethrows an error without `item_id`, for a move of a single item. */
function withoutItem(error: unknown): never {
  if (error instanceof NotevaultError && error.code === 'attachment_item_not_found') {
    throw new NotevaultError(error.code);
  }
  throw error;
}

/** Returns at most `max` paths, normalized, without duplicates. Throws `invalid_ids`, and `over` beyond `max`. */
export function itemPaths(sent: unknown, max: number, over: 'too_many_items' | 'batch_too_large'): string[] {
  if (!Array.isArray(sent) || sent.length === 0) throw new NotevaultError('invalid_ids');
  if (sent.length > max) throw new NotevaultError(over, { max });
  return [...new Set(sent.map(itemPath))];
}

function itemPath(sent: unknown): string {
  if (typeof sent !== 'string') throw new NotevaultError('invalid_ids');
  try {
    return normalizePath(sent);
  } catch (error) {
    if (error instanceof PathError) throw new NotevaultError('invalid_ids', {}, error);
    throw error;
  }
}
