import { isCanvas } from '@notevault/note-text/canvas/strings.ts';
import { attachmentNameKey } from '@notevault/note-text/links/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { LinksLeft } from '@notevault/protocol/links.ts';
import { slicesOf } from '../../../concurrency/slices.ts';
import type { YieldIfDue } from '../../../concurrency/yield.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { MoveBatch, MovingEntry, StoredEntry, WriteContext } from '../entries/entries.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { AttachmentDeps } from './attachments.ts';
import {
  applyCanvases,
  CanvasRewriter,
  type CanvasToWrite,
  type MovedCanvasFile,
} from './canvases/rewrite-canvases.ts';
import { type AttachmentMeta, openMeta, sealMeta } from './sealed-attachment.ts';
import { extensionOf, mediaTypeOf } from './uploads/extensions.ts';

const BATCH = 256;

/**
 * Prepares a move's changes to attachments in batches: moving attachments, and canvases that refer to moving entries.
 */
export async function* prepareMove(
  deps: AttachmentDeps,
  context: Pick<WriteContext, 'vault' | 'actor'>,
  moving: readonly MovingEntry[],
  unused: AsyncDisposableStack,
  yieldIfDue: YieldIfDue,
): AsyncGenerator<MoveBatch> {
  const { db, entries, hooks } = deps;
  const { vault } = context;
  const planner = await hooks.planCanvases(db, vault, moving, yieldIfDue);
  const canvases = new CanvasRewriter(deps, context, planner, unused);
  const files = moving.filter(({ kind }) => kind === 'attachment') as MovingEntry<AttachmentMeta>[];
  for (const slice of slicesOf(files, BATCH)) {
    const batch = newBatch();
    for (const file of slice) {
      await yieldIfDue();
      const moved = movedFile(deps, context, file);
      batch.rows.push((await addCanvas(batch, canvases, moved)) ?? moved.row);
    }
    yield batch;
  }
  const known = new Set(files.map(({ id }) => id));
  const staying = planner.ids.filter((id) => !known.has(id));
  for (const slice of slicesOf(staying, BATCH)) {
    const batch = newBatch();
    for (const row of await entries.rowsById(db, vault.id, 'attachment', slice)) {
      await yieldIfDue();
      const meta = readableMeta(vault, row);
      if (meta === null) continue;
      const next = { ...row, revision: row.revision + 1 };
      const written = await addCanvas(batch, canvases, { from: meta.path, to: meta.path, row: next, meta });
      if (written !== null) batch.rows.push(written);
    }
    yield batch;
  }
}

/** Null for a damaged canvas: its own reads and writes report it. */
function readableMeta(vault: OpenVault, row: StoredEntry): AttachmentMeta | null {
  try {
    return openMeta(vault, row);
  } catch (error) {
    if (error instanceof NotevaultError) return null;
    throw error;
  }
}

const newBatch = () => ({
  rows: [] as StoredEntry[],
  rest: [] as MovedCanvasFile[],
  linksLeft: [] as LinksLeft[],
  attachmentBytes: 0,
});

function movedFile(
  { clock }: Pick<AttachmentDeps, 'clock'>,
  { vault, actor }: Pick<WriteContext, 'vault' | 'actor'>,
  { from, to, toKey, row, meta: former }: MovingEntry<AttachmentMeta>,
): CanvasToWrite {
  const revision = row.revision + 1;
  const meta = { ...former, path: to, type: mediaTypeOf(extensionOf(to) ?? ''), actor };
  const next = {
    ...row,
    revision,
    updated_at: clock.now(),
    path_key: toKey,
    name_key: vault.key.blind('name', attachmentNameKey(to)),
    meta: sealMeta(vault, row.id, revision, meta),
  };
  return { from, to, row: next, meta };
}

/** Adds a canvas's writes other than its row; returns the row if its bytes change. */
async function addCanvas(
  batch: ReturnType<typeof newBatch>,
  canvases: CanvasRewriter,
  file: CanvasToWrite,
): Promise<StoredEntry | null> {
  if (!isCanvas(file.to)) return null;
  const { row, canvas, left } = await canvases.rewrite(file);
  if (canvas !== null) batch.rest.push(canvas);
  if (left > 0) batch.linksLeft.push({ path: file.to, count: left });
  if (row !== null) batch.attachmentBytes += row.size_bytes - file.row.size_bytes;
  return row;
}

export async function applyMove(deps: AttachmentDeps, handle: WriteHandle, vault: OpenVault, rest: unknown) {
  // Only prepareMove makes them.
  await applyCanvases(deps, handle, vault, rest as MovedCanvasFile[]);
}
