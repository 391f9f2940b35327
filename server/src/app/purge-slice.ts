import type { VaultId } from '@notevault/protocol/values/ids.ts';
import type { Database } from '../ports/database/database.ts';
import type { Domains } from './domains.ts';

/** Erases a bounded part of a vault, later domains first. Resolves to true while something is left. */
export async function purgeSlice(db: Database, domains: Domains, vaultId: VaultId): Promise<boolean> {
  const { attachments, sync, search, cache, notes, entries, idempotency } = domains;
  // Outside the transaction, because blobs may be outside the database.
  if (await attachments.purgeBytes(vaultId)) return true;
  return await db.transact(async (handle) => {
    for (const domain of [sync, search, cache, notes, entries, attachments, idempotency]) {
      if (await domain.purgeSlice(handle, vaultId)) return true;
    }
    return false;
  });
}
