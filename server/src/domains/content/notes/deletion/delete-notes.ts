import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import { itemIds } from '@notevault/protocol/values/batch-ids.ts';
import { type NoteId, parseUuid } from '@notevault/protocol/values/ids.ts';
import type { ReadHandle } from '../../../../ports/database/database.ts';
import type { StoredEntry, WriteContext } from '../../entries/entries.ts';
import {
  checkPrecondition,
  isConditional,
  mustHave,
  type Precondition,
  UNCONDITIONAL,
} from '../../entries/precondition.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { toListed } from '../notes.mapper.ts';

/** Deletes the note at a path; without one it does nothing. Throws `version_conflict`. */
export async function deleteByPath(
  deps: NoteDeps,
  context: WriteContext,
  path: string,
  expected: Precondition = UNCONDITIONAL,
): Promise<void> {
  const { entries } = deps;
  const { vault } = context;
  const pathKey = entries.pathKey(vault, path);
  await deleteOne(deps, context, pathKey.toString('hex'), async (handle) => {
    const [row] = await entries.rowsAt(handle, vault.id, 'note', [pathKey]);
    checkExpected(vault, row, expected);
    return row;
  });
}

/** Like deleteByPath, by id. Throws `note_not_found`. */
export async function deleteById(
  deps: NoteDeps,
  context: WriteContext,
  id: NoteId,
  expected: Precondition = UNCONDITIONAL,
): Promise<void> {
  const { vault } = context;
  const deleted = await deleteOne(deps, context, id, async (handle) => {
    const [row] = await deps.entries.rowsById(handle, vault.id, 'note', [id]);
    if (row !== undefined) checkExpected(vault, row, expected);
    return row;
  });
  if (!deleted) throw new NotevaultError('note_not_found');
}

function deleteOne(
  { entries }: NoteDeps,
  context: WriteContext,
  key: string,
  find: (handle: ReadHandle) => Promise<StoredEntry | undefined>,
): Promise<boolean> {
  // The answer to a single deletion needs nothing from the transaction.
  const { vault, actor, device } = context;
  return entries.lock.run(vault.id, key, () =>
    entries.delete<boolean>(
      { vault, actor, device },
      {
        find: async (handle) => [await find(handle)].filter((row) => row !== undefined),
        answer: (deleted) => deleted > 0,
      },
    ),
  );
}

/**
 * Deletes notes, all or none; resolves to their number. Throws the errors of batch requests, `note_unreadable`, and
 * `version_conflict` with `item_id` for a note whose content hash differs from that in `baseHashes` (by id).
 */
export async function deleteMany(
  { entries }: NoteDeps,
  context: WriteContext<number>,
  sent: unknown,
  baseHashes?: unknown,
): Promise<number> {
  const ids = itemIds(sent);
  const expected = hashesById(baseHashes, ids);
  const { vault } = context;
  return entries.lock.runAll(vault.id, ids, () =>
    entries.delete(context, {
      async find(handle) {
        const rows = await entries.rowsById(handle, vault.id, 'note', ids);
        const rowOf = new Map(rows.map((row) => [row.id, row]));
        return ids.map((id) => {
          const row = rowOf.get(id);
          if (row === undefined) throw new NotevaultError('item_not_found', { item_id: id });
          const hash = expected.get(id);
          if (hash !== undefined) checkExpected(vault, row, mustHave(hash), { item_id: id });
          return row;
        });
      },
      answer: (deleted) => deleted,
    }),
  );
}

/** Throws `version_conflict` when a note does not meet the precondition. */
function checkExpected(
  vault: OpenVault,
  row: StoredEntry | undefined,
  expected: Precondition,
  more: Record<string, unknown> = {},
): void {
  if (!isConditional(expected)) return;
  const note = row === undefined ? null : toListed(vault, row);
  checkPrecondition(expected, note?.content_hash ?? null, () => ({ server_note: note, ...more }));
}

/** Returns the required hashes of a batch by note id. Throws a validation error. */
function hashesById(sent: unknown, ids: readonly string[]): Map<string, string> {
  if (sent === undefined || sent === null) return new Map();
  if (typeof sent !== 'object' || Array.isArray(sent)) throw invalid({ base_hashes: ['must be object'] });
  const named = new Set(ids);
  return new Map(
    Object.entries(sent).map(([key, hash]) => {
      const id = parseUuid(key);
      if (id === null || !named.has(id)) throw invalid({ base_hashes: [`${id ?? 'a key'} is none of the ids`] });
      if (typeof hash !== 'string') throw invalid({ base_hashes: ['must be content hashes by id'] });
      return [id, hash];
    }),
  );
}
