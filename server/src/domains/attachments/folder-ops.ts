import { attachmentNameKey } from '@notevault/note-text/links/resolve.ts';
import type { Namespace } from '../namespace/namespace.ts';
import type { AttachmentHooks, AttachmentRef, PreparedAttachments } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type OpenedAttachment, openAttachment } from './attachment-mapper.ts';
import type { AttachmentDeps } from './attachments.deps.ts';
import * as store from './attachments.store.ts';
import { type PendingTombstone, prepareTombstones, writeTombstones } from './delete.ts';
import { extensionOf, mediaTypeOf } from './extensions.ts';
import { RevisionConflict } from './revision-conflict.ts';
import { sealMeta } from './sealed-attachment.ts';

/** What this domain keeps of a file that moves or goes with its folder. */
interface OpenedRow extends AttachmentRef {
  readonly opened: OpenedAttachment;
  readonly row: store.StoredAttachment;
}

interface PreparedMove extends PreparedAttachments {
  readonly rows: readonly store.StoredAttachment[];
}
interface PreparedTombstones extends PreparedAttachments {
  readonly pending: readonly PendingTombstone[];
}

/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const SLICE = 256;

/** Attachments in the moves and deletions that begin with notes and folders. */
export function createFolderOps(
  deps: Pick<AttachmentDeps, 'vaults' | 'clock' | 'hooks'> & { readonly namespace: Pick<Namespace, 'pathKey'> },
): AttachmentHooks {
  const { namespace, clock } = deps;

  function movedRow(vault: OpenVault, { opened, row }: OpenedRow, to: string): store.StoredAttachment {
    const revision = row.revision + 1;
    const type = mediaTypeOf(extensionOf(to) ?? '');
    return {
      ...{ ...row, revision, updated_at: clock.now() },
      path_key: namespace.pathKey(vault, to),
      name_key: vault.key.blind('name', attachmentNameKey(to)),
      meta: sealMeta(vault, row.id, revision, { ...opened.meta, path: to, type }),
    };
  }

  return {
    async find(handle, vault, { ids, folders }) {
      const rows = [
        ...(await handle.allMany(store.findRows, { vault: vault.id }, ids)),
        ...(await handle.allMany(store.findRowsIn, { vault: vault.id }, folders)),
      ];
      return rows.map((row): OpenedRow => {
        const opened = openAttachment(vault, row);
        return { id: row.id, path: opened.meta.path, pathKey: row.path_key, opened, row };
      });
    },
    prepareMove(vault, moves): PreparedMove {
      const rows = moves.map(({ file, to }) => movedRow(vault, openedRowOf(file), to));
      return { files: 'prepared', count: rows.length, rows };
    },
    async writeMove(handle, vault, prepared, first, folderOf) {
      const { rows } = prepared as PreparedMove;
      for (let at = 0; at < rows.length; at += SLICE) {
        const slice = rows.slice(at, at + SLICE).map((row, index) => ({
          ...row,
          ...{ seq: first + at + index, folder_id: folderOf(row.id, row.folder_id) },
        }));
        if ((await handle.runMany(store.putRows, { vault: vault.id }, slice)) < slice.length) return false;
      }
      return true;
    },
    prepareTombstones(vault, files): PreparedTombstones {
      const rows = files.map((file) => openedRowOf(file).row);
      return { files: 'prepared', count: rows.length, pending: prepareTombstones(vault, rows) };
    },
    async writeTombstones(handle, vault, prepared, first) {
      try {
        await writeTombstones(deps, handle, vault, (prepared as PreparedTombstones).pending, first);
        return true;
      } catch (error) {
        if (error instanceof RevisionConflict) return false;
        throw error;
      }
    },
  };
}

/** Only `find` makes them. */
function openedRowOf(file: AttachmentRef): OpenedRow {
  return file as OpenedRow;
}
