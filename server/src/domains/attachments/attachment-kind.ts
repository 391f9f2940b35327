import { attachmentNameKey } from '@notevault/note-text/links/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { YieldIfDue } from '../../concurrency/yield.ts';
import type {
  KindHandler,
  MoveBatch,
  MovingEntry,
  StoredEntry,
  TombstoneDraft,
  WriteContext,
} from '../entries/entries.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { AttachmentDeps } from './attachments.ts';
import { releaseBlobs } from './blob-gc.ts';
import { restoreDeleted } from './restore.ts';
import { type AttachmentMeta, openMeta, sealMeta } from './sealed-attachment.ts';
import { extensionOf, mediaTypeOf } from './uploads/extensions.ts';

const BATCH = 256;

/** The KindHandler of attachments: bytes, and links to them. */
export function createAttachmentKind(deps: AttachmentDeps): KindHandler {
  return {
    openMeta,
    async conflictDetails(vault, id) {
      const [row] = await deps.entries.rowsById(deps.db, vault.id, 'attachment', [id]);
      return row === undefined ? null : { server_path: openMeta(vault, row).path };
    },
    prepareTombstones: async (context, rows) => rows.map((row) => tombstoneOf(context, row)),
    async deleted(handle, vault, tombstones) {
      const names = tombstones.map(({ old }) => old.name_key);
      await deps.hooks.namesChanged(handle, vault, names, []);
    },
    prepareMove: ({ vault }, moving, yieldIfDue) => prepareMove(deps, vault, moving, yieldIfDue),
    applyMove: async () => undefined,
    describeTrashed(vault, row) {
      const { path, deletedActor } = openMeta(vault, row);
      if (deletedActor === undefined) throw new NotevaultError('attachment_unreadable');
      return { path, title: null, actor: deletedActor };
    },
    restore: (context, id, path) => restoreDeleted(deps, context, id, path),
    purged: (handle, vault, rows) =>
      releaseBlobs(
        deps,
        handle,
        vault,
        rows.map(({ blob_id }) => blob_id),
      ),
    // The bytes are in blob storage.
    storedBytes: () => 0,
    dropSlice: async () => false,
  };
}

/** Throws `attachment_unreadable`. */
function tombstoneOf({ vault, actor }: Pick<WriteContext, 'vault' | 'actor'>, row: StoredEntry): TombstoneDraft {
  const meta = openMeta(vault, row);
  const tombstone = sealMeta(vault, row.id, row.revision + 1, { ...meta, deletedActor: actor });
  return { old: row, path: meta.path, meta: tombstone, nameKeys: [row.name_key] };
}

async function* prepareMove(
  { clock }: Pick<AttachmentDeps, 'clock'>,
  vault: OpenVault,
  moving: readonly MovingEntry[],
  yieldIfDue: YieldIfDue,
): AsyncGenerator<MoveBatch> {
  const files = moving.filter(({ kind }) => kind === 'attachment');
  for (let at = 0; at < files.length; at += BATCH) {
    const rows: StoredEntry[] = [];
    for (const { row, to, toKey, meta } of files.slice(at, at + BATCH)) {
      await yieldIfDue();
      const revision = row.revision + 1;
      const type = mediaTypeOf(extensionOf(to) ?? '');
      rows.push({
        ...row,
        revision,
        updated_at: clock.now(),
        path_key: toKey,
        name_key: vault.key.blind('name', attachmentNameKey(to)),
        meta: sealMeta(vault, row.id, revision, { ...(meta as AttachmentMeta), path: to, type }),
      });
    }
    yield { rows, rest: null };
  }
}
