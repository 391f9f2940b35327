import { attachmentNameKey } from '@notevault/note-text/resolve.ts';
import type { FileHooks, HeldFile, PreparedFiles } from '../notes/notes.ts';
import type { Tree } from '../tree/tree.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './attachments.store.ts';
import { type Burial, prepareBurials, writeBurials } from './delete.ts';
import { extensionOf, mediaTypeOf } from './extensions.ts';
import { sealMeta } from './meta.ts';
import { type AttachmentParts, Stale } from './parts.ts';
import { type OpenedAttachment, openAttachment } from './view.ts';

/** What this room has behind a file that moves or goes with its folder. */
interface Held extends HeldFile {
  readonly opened: OpenedAttachment;
  readonly row: store.StoredAttachment;
}

interface PreparedMove extends PreparedFiles {
  readonly rows: readonly store.StoredAttachment[];
}
interface PreparedBurial extends PreparedFiles {
  readonly burials: readonly Burial[];
}

/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const SLICE = 256;

/** Attachments in the moves and deletions that begin with notes and folders. */
export function createFiles(
  parts: Pick<AttachmentParts, 'vaults' | 'clock' | 'hooks'> & { readonly tree: Pick<Tree, 'pathKey'> },
): FileHooks {
  const { tree, clock } = parts;

  function movedRow(vault: OpenVault, { opened, row }: Held, to: string): store.StoredAttachment {
    const stamp = row.stamp + 1;
    const type = mediaTypeOf(extensionOf(to) ?? '');
    return {
      ...{ ...row, stamp, updated_at: clock.now() },
      path_key: tree.pathKey(vault, to),
      name_key: vault.key.blind('name', attachmentNameKey(to)),
      meta: sealMeta(vault, row.id, stamp, { ...opened.meta, path: to, type }),
    };
  }

  return {
    async find(handle, vault, { ids, folders }) {
      const rows = [
        ...(await handle.allIn(store.findRows, { vault: vault.id }, ids)),
        ...(await handle.allIn(store.findRowsIn, { vault: vault.id }, folders)),
      ];
      return rows.map((row): Held => {
        const opened = openAttachment(vault, row);
        return { id: row.id, path: opened.meta.path, pathKey: row.path_key, opened, row };
      });
    },
    prepareMove(vault, moves): PreparedMove {
      const rows = moves.map(({ file, to }) => movedRow(vault, heldOf(file), to));
      return { files: 'prepared', count: rows.length, rows };
    },
    async writeMove(handle, vault, prepared, first, folderOf) {
      const { rows } = prepared as PreparedMove;
      for (let at = 0; at < rows.length; at += SLICE) {
        const slice = rows.slice(at, at + SLICE).map((row, index) => ({
          ...row,
          ...{ seq: first + at + index, folder_id: folderOf(row.id, row.folder_id) },
        }));
        if ((await handle.runIn(store.putRows, { vault: vault.id }, slice)) < slice.length) return false;
      }
      return true;
    },
    prepareBurial(vault, files): PreparedBurial {
      const rows = files.map((file) => heldOf(file).row);
      return { files: 'prepared', count: rows.length, burials: prepareBurials(vault, rows) };
    },
    async writeBurial(handle, vault, prepared, first) {
      try {
        await writeBurials(parts, handle, vault, (prepared as PreparedBurial).burials, first);
        return true;
      } catch (error) {
        if (error instanceof Stale) return false;
        throw error;
      }
    },
  };
}

/** Only `find` makes them. */
function heldOf(file: HeldFile): Held {
  return file as Held;
}
