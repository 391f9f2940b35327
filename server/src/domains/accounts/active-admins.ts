import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../ports/database/database.ts';
import * as store from './accounts.store.ts';

/*
 * A server always has an admin who can sign in. Every transaction that ends somebody's being one locks all admins
 * first: two last admins who end each other, or themselves, at once would otherwise each see the other.
 */

/** Locks all admins until the end of the transaction; must be called before a user is locked. */
export async function lockAdmins(handle: WriteHandle): Promise<void> {
  await handle.get(store.lockAdmins, {});
}

/** Throws `last_admin` unless there is another admin who can sign in. All admins must be locked. */
export async function requireOtherAdmin(handle: WriteHandle, id: UserId): Promise<void> {
  const other = await handle.get(store.findOtherAdmin, { id });
  if (other === undefined) throw new NotevaultError('last_admin');
}

/** Throws `admin_required` unless the user is still an admin who can sign in. All admins must be locked. */
export async function requireAdmin(handle: WriteHandle, id: UserId): Promise<void> {
  const row = await handle.get(store.findUser, { id });
  if (row?.role !== 'admin' || row.suspended_at !== null) throw new NotevaultError('admin_required');
}
