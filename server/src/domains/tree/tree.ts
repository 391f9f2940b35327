import { ancestorsOf, folderOf, foldPath } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/ids.ts';
import type { Clock } from '../../engines/clock/clock.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './tree.store.ts';

export type ItemKind = 'note' | 'attachment' | 'folder';

/** What holds a path. */
export interface Holder {
  readonly kind: ItemKind;
  readonly id: string;
}

/** A path as it will be stored, and the folder it goes into; found before the write, checked in it. */
export interface Spot {
  readonly path: string;
  readonly pathKey: Buffer;
  /** The nearest folder above that exists already; null when that is the root. */
  readonly anchor: { readonly id: FolderId; readonly path: string } | null;
  /** Something that is no folder and stands where the path needs one. */
  readonly blocked: { readonly path: string; readonly holder: Holder } | null;
}

export type Claimed = { readonly ok: true } | { readonly ok: false; readonly holder: Holder | null };

/**
 * The one namespace of a vault: notes, attachments and folders hold their paths here, compared without case, and folders
 * come and go with what lies in them.
 */
export interface Tree {
  /** The blind index under which a path is held. */
  pathKey(vault: OpenVault, path: string): Buffer;
  holderOf(handle: ReadHandle, vault: OpenVault, path: string): Promise<Holder | null>;
  /** A folder's path in its stored spelling, or null when there is no such folder. */
  folderPath(handle: ReadHandle, vault: OpenVault, id: string): Promise<string | null>;
  /** Where a path would be stored: folders that exist keep their spelling. */
  spot(handle: ReadHandle, vault: OpenVault, path: string): Promise<Spot>;
  /**
   * Takes the path for an item and counts it into its folder, making the folders that are missing. Not ok when somebody
   * else holds the path (`holder`), or when the folders changed since `spot` (`holder` null: find the spot anew).
   */
  claim(handle: WriteHandle, vault: OpenVault, spot: Spot, kind: ItemKind, id: string): Promise<Claimed>;
  /** Gives the path back; folders left empty without a marker go. */
  release(handle: WriteHandle, vault: OpenVault, path: string, kind: ItemKind, id: string): Promise<void>;
  /** Deletes a slice of a purged vault's rows; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: OpenVault['id']): Promise<boolean>;
}

const ERASE_SLICE = 2000;

export function createTree(clock: Clock): Tree {
  const pathKey = (vault: OpenVault, path: string) => vault.key.blind('path', foldPath(path));
  const placeOf = (id: string) => ({ kind: 'folders.path', row: id, version: 0 });

  async function spot(handle: ReadHandle, vault: OpenVault, path: string): Promise<Spot> {
    const key = pathKey(vault, path);
    const above = ancestorsOf(path);
    if (above.length === 0) return { path, pathKey: key, anchor: null, blocked: null };
    // Nearly always the parent is there and its spelling covers all above it; only else look further up.
    for (const folders of [above.slice(0, 1), above.slice(1)]) {
      const keys = new Map(folders.map((folder) => [pathKey(vault, folder).toString('hex'), folder]));
      const keyList = [...keys.keys()].map((hex) => Buffer.from(hex, 'hex'));
      const rows = await handle.allIn(store.findHolders, { vault: vault.id }, keyList);
      const found = rows
        .map((row) => ({ row, asked: keys.get(row.path_key.toString('hex')) ?? '' }))
        .sort((a, b) => b.asked.length - a.asked.length)[0];
      if (found === undefined) continue;
      const { row, asked } = found;
      if (row.kind !== 'folder' || row.path === null) {
        const holder = { kind: row.kind as ItemKind, id: row.item_id };
        return { path, pathKey: key, anchor: null, blocked: { path: asked, holder } };
      }
      const spelled = vault.key.open(placeOf(row.item_id), row.path).toString('utf8');
      const anchor = { id: row.item_id as FolderId, path: spelled };
      return { path: spelled + path.slice(asked.length), pathKey: key, anchor, blocked: null };
    }
    return { path, pathKey: key, anchor: null, blocked: null };
  }

  /** Makes the folders between the anchor and the item; each is counted into the one above it. */
  async function makeFolders(handle: WriteHandle, vault: OpenVault, at: Spot, notes: number): Promise<boolean> {
    const parent = folderOf(at.path);
    const missing = [parent, ...ancestorsOf(parent)].filter(
      (folder) => folder !== '' && folder.length > (at.anchor?.path.length ?? 0),
    );
    const made = missing.map((path) => ({ id: clock.uuid(), path, key: pathKey(vault, path) }));
    for (const { id, path, key } of made) {
      const held = await handle.run(store.insertName, { vault: vault.id, pathKey: key, kind: 'folder', item: id });
      if (held === 0) return false;
      const sealed = vault.key.seal(placeOf(id), Buffer.from(path, 'utf8'));
      await handle.run(store.insertFolder, { vault: vault.id, id, pathKey: key, marker: 0, path: sealed });
    }
    const chain = [...made, ...(at.anchor === null ? [] : [{ ...at.anchor, key: pathKey(vault, at.anchor.path) }])];
    for (const [index, { id, key }] of chain.entries()) {
      if (index > made.length) break;
      const counted = { vault: vault.id, id, pathKey: key, notes: index === 0 ? notes : 0, children: 1 };
      if ((await handle.run(store.countInFolder, counted)) === 0) return false;
    }
    return true;
  }

  return {
    pathKey,
    spot,
    async holderOf(handle, vault, path) {
      const row = await handle.get(store.findName, { vault: vault.id, pathKey: pathKey(vault, path) });
      return row === undefined ? null : { kind: row.kind as ItemKind, id: row.item_id };
    },
    async folderPath(handle, vault, id) {
      const row = await handle.get(store.findFolder, { vault: vault.id, id });
      return row === undefined ? null : vault.key.open(placeOf(id), row.path).toString('utf8');
    },
    async claim(handle, vault, at, kind, id) {
      if (at.blocked !== null) return { ok: false, holder: at.blocked.holder };
      const taken = { vault: vault.id, pathKey: at.pathKey, kind, item: id };
      if ((await handle.run(store.insertName, taken)) === 0) {
        const row = await handle.get(store.findName, taken);
        return { ok: false, holder: row === undefined ? null : { kind: row.kind as ItemKind, id: row.item_id } };
      }
      if (folderOf(at.path) === '') return { ok: true };
      const placed = await makeFolders(handle, vault, at, kind === 'note' ? 1 : 0);
      return placed ? { ok: true } : { ok: false, holder: null };
    },
    async release(handle, vault, path, kind, id) {
      await handle.run(store.deleteName, { vault: vault.id, pathKey: pathKey(vault, path), item: id });
      let notes = kind === 'note' ? -1 : 0;
      for (const folder of ancestorsOf(path)) {
        const key = pathKey(vault, folder);
        const holder = await handle.get(store.findName, { vault: vault.id, pathKey: key });
        if (holder?.kind !== 'folder') return;
        const counted = { vault: vault.id, id: holder.item_id, pathKey: key, notes, children: -1 };
        const left = await handle.get(store.countInFolder, counted);
        if (left === undefined || left.marker === 1 || left.children > 0) return;
        await handle.run(store.deleteFolder, { vault: vault.id, id: holder.item_id });
        await handle.run(store.deleteName, { vault: vault.id, pathKey: key, item: holder.item_id });
        notes = 0;
      }
    },
    async eraseSlice(handle, vaultId) {
      const slice = { vault: vaultId, limit: ERASE_SLICE };
      const erased = [await handle.run(store.eraseNames, slice), await handle.run(store.eraseFolders, slice)];
      return erased.some((rows) => rows === ERASE_SLICE);
    },
  };
}
