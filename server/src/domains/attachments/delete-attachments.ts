import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { ReadHandle } from '../../ports/database/database.ts';
import type { StoredEntry, WriteContext } from '../entries/entries.ts';
import { type Precondition, UNCONDITIONAL } from '../entries/precondition.ts';
import { checkExpected } from './attachments.mapper.ts';
import type { AttachmentDeps } from './attachments.ts';
import { itemPaths } from './batch-input.ts';
import { openMeta } from './sealed-attachment.ts';

const DELETE_MAX = 500;

/**
 * Turns the attachment at a path into a tombstone; resolves to the hash of its bytes, null when there is no
 * attachment. Throws `version_conflict` for a failed precondition.
 */
export function deleteAttachment(
  deps: AttachmentDeps,
  context: WriteContext<string | null>,
  path: string,
  expected: Precondition = UNCONDITIONAL,
): Promise<string | null> {
  const { vault } = context;
  let hash: string | null = null;
  const check = ([row]: readonly StoredEntry[]) => {
    checkExpected(vault, row, expected);
    hash = row === undefined ? null : openMeta(vault, row).hash;
  };
  return deleteAt(deps, context, [path], check, () => hash);
}

/**
 * Deletes the attachments at some paths and ignores missing ones; resolves to the number deleted. Throws
 * `missing_paths`, `invalid_ids`, `batch_too_large`.
 */
export async function deleteAttachments(deps: AttachmentDeps, context: WriteContext<number>, sent: unknown) {
  if (sent === undefined || sent === null) throw new NotevaultError('missing_paths');
  const paths = itemPaths(sent, DELETE_MAX, 'batch_too_large');
  return deleteAt(
    deps,
    context,
    paths,
    () => undefined,
    (deleted) => deleted,
  );
}

/** Turns the live attachments at some paths into tombstones; `check` may refuse the rows that were found. */
function deleteAt<Result>(
  { entries }: AttachmentDeps,
  context: WriteContext<Result>,
  paths: readonly string[],
  check: (rows: readonly StoredEntry[]) => void,
  answer: (deleted: number) => Result,
): Promise<Result> {
  const { vault } = context;
  const keys = paths.map((path) => entries.pathKey(vault, path));
  const request = {
    asked: new Set(keys.map((key) => key.toString('hex'))).size,
    async find(handle: ReadHandle) {
      const rows = await entries.rowsAt(handle, vault.id, 'attachment', keys);
      check(rows);
      return rows;
    },
    answer,
  };
  return entries.lock.run(vault.id, keys[0]?.toString('hex') ?? '', () => entries.delete(context, request));
}
