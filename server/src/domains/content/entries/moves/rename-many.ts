import { normalizePath } from '@notevault/note-text/paths.ts';
import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { RenamedMany, RenameMany } from '@notevault/protocol/rename-many.ts';
import { RENAMES_MAX } from '@notevault/protocol/values/batch-limits.ts';
import { parseUuid } from '@notevault/protocol/values/ids.ts';
import type { EntryDeps, LockedDeps, WriteContext } from '../entries.deps.ts';
import { pathFrom, spellingOf } from '../request-paths.ts';
import { entryRows } from '../rows.ts';
import { type MoveRoot, move } from './move.ts';

/**
 * Renames notes and attachments in one transaction, all or none. Names may be swapped or go in circles. Throws
 * `too_many_items`, a validation error, the errors of paths of the kinds; with `item_id`, `item_not_found` for an item
 * that does not exist, and `conflict` for one that is not at `from` or whose new path is taken.
 */
export function renameMany(deps: LockedDeps, context: WriteContext<RenamedMany>, sent: RenameMany) {
  const { vault } = context;
  const moves = movesFrom(sent);
  const ids = moves.map(({ id }) => id);
  return move(deps, context, {
    find: () => rootsOf(deps, context, moves),
    trades: true,
    field: 'path',
    dryRun: false,
    async answer(handle, { named, left }): Promise<RenamedMany> {
      const seqs = new Map((await entryRows.rowsById(handle, vault.id, null, ids)).map(({ id, seq }) => [id, seq]));
      return {
        moved: named.length,
        ...left,
        items: named.map(({ id, to: path }) => ({ id, path, seq: seqs.get(id) ?? 0 })),
      };
    },
  });
}

type Move = RenameMany['moves'][number];

function movesFrom({ moves }: RenameMany): Move[] {
  if (moves.length === 0) throw invalid({ moves: ['must not be empty'] });
  if (moves.length > RENAMES_MAX) throw new NotevaultError('too_many_items', { max: RENAMES_MAX });
  const read = moves.map(({ id: sent, from, path }) => {
    const id = parseUuid(sent);
    if (id === null) throw invalid({ id: ['must be a UUID'] });
    return { id, from: pathFrom(from, 'from', normalizePath), path };
  });
  if (new Set(read.map(({ id }) => id)).size < read.length) throw invalid({ moves: ['must name an item once'] });
  return read;
}

async function rootsOf(
  { db, handlerOf }: EntryDeps,
  { vault }: Pick<WriteContext, 'vault'>,
  moves: readonly Move[],
): Promise<MoveRoot[]> {
  const rows = await entryRows.rowsById(
    db,
    vault.id,
    null,
    moves.map(({ id }) => id),
  );
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const spelled = spellingOf();
  return moves.map(({ id, from, path }) => {
    const row = rowOf.get(id);
    if (row === undefined) throw new NotevaultError('item_not_found', { item_id: id });
    const handler = handlerOf(row.kind);
    if (handler.openMeta(vault, row).path !== from) throw new NotevaultError('conflict', { item_id: id });
    return { kind: row.kind, id, from, to: spelled(handler.targetPath(vault, path, 'path')) };
  });
}
