import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import { type Database, type ReadHandle, rowsOf, type WriteHandle } from '../../../ports/database/database.ts';
import type { OpenVault } from '../../foundation/access/access.ts';
import * as feeds from './vault-feeds.store.ts';

const PAGE = 100;

/** Tracks which version of the link parser read the links of a vault. */
export const linksVersions = {
  /** Returns the present version for a vault that does not exist any more: there is nothing to read. */
  linksVersion: async (handle: ReadHandle, { id }: Pick<OpenVault, 'id'>): Promise<number> =>
    (await handle.get(feeds.findLinksVersion, { vaultId: id }))?.links_version ?? Number.POSITIVE_INFINITY,
  setLinksVersion: (handle: WriteHandle, { id }: Pick<OpenVault, 'id'>, version: number) =>
    handle.run(feeds.setLinksVersion, { vaultId: id, version }),
  /** Returns the active vaults whose links an older version has read. */
  async *behindInLinks(db: Database, version: number): AsyncGenerator<VaultId> {
    const after = (last?: { vault_id: VaultId }) => ({ version, after: last?.vault_id ?? NIL_UUID, limit: PAGE });
    for await (const { vault_id: id } of rowsOf(db, feeds.findBehindInLinks, after)) yield id;
  },
};
