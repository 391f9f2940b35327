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
  readonly anchor: { readonly id: FolderId; readonly path: string; readonly key: Buffer } | null;
  /** Something that is no folder and stands where the path needs one. */
  readonly blocked: { readonly path: string; readonly holder: Holder } | null;
}

/** `folder` is the id of the folder the item now lies in; null at the root. */
export type Claimed =
  | { readonly ok: true; readonly folder: FolderId | null }
  | { readonly ok: false; readonly holder: Holder | null };

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
  spot(handle: ReadHandle, vault: OpenVault, path: string, pathKey: Buffer): Promise<Spot>;
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

  async function spot(handle: ReadHandle, vault: OpenVault, path: string, key: Buffer): Promise<Spot> {
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
      const anchor = { id: row.item_id as FolderId, path: spelled, key: row.path_key };
      return { path: spelled + path.slice(asked.length), pathKey: key, anchor, blocked: null };
    }
    return { path, pathKey: key, anchor: null, blocked: null };
  }

  /**
   * Makes the folders between the anchor and the item, each counted into the one above it, and counts the item into the
   * nearest. Resolves to that one's id, or to undefined when the folders are not as the spot has them.
   */
  async function enter(handle: WriteHandle, vault: OpenVault, at: Spot, notes: number): Promise<FolderId | undefined> {
    const parent = folderOf(at.path);
    const missing = [parent, ...ancestorsOf(parent)].filter(
      (folder) => folder !== '' && folder.length > (at.anchor?.path.length ?? 0),
    );
    const made = missing.map((path) => ({ id: clock.uuid() as FolderId, path, key: pathKey(vault, path) }));
    const chain = [...made, ...(at.anchor === null ? [] : [at.anchor])];
    for (const [index, { id, path, key }] of made.entries()) {
      const held = await handle.run(store.insertName, { vault: vault.id, pathKey: key, kind: 'folder', item: id });
      if (held === 0) return undefined;
      const sealed = vault.key.seal(placeOf(id), Buffer.from(path, 'utf8'));
      const row = { vault: vault.id, id, parent: chain[index + 1]?.id ?? null, pathKey: key, marker: 0, path: sealed };
      await handle.run(store.insertFolder, row);
    }
    for (const [index, { id, key }] of chain.slice(0, made.length + 1).entries()) {
      const counted = { vault: vault.id, id, pathKey: key, notes: index === 0 ? notes : 0, children: 1 };
      if ((await handle.run(store.countInFolder, counted)) === 0) return undefined;
    }
    return chain[0]?.id;
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
      if (folderOf(at.path) === '') return { ok: true, folder: null };
      const folder = await enter(handle, vault, at, kind === 'note' ? 1 : 0);
      return folder === undefined ? { ok: false, holder: null } : { ok: true, folder };
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
