import { NotevaultError } from '@notevault/protocol/errors.ts';
import { parseUuid } from '@notevault/protocol/values/ids.ts';
import { newToken } from '../tokens/tokens.ts';
import * as store from './accounts.store.ts';
import type { AccountDeps } from './accounts.ts';
import { canonicalEmail } from './emails.ts';

const INVITE_MS = 7 * 24 * 60 * 60 * 1000;
const LISTED_MAX = 1000;

/** An invite to register that was not used yet. */
export interface Invite {
  readonly id: string;
  /** The only e-mail that may use it; null for any. */
  readonly email: string | null;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface Invites {
  /** Makes an invite for a week, for one e-mail if that is given. Its token is shown once. */
  createInvite(email?: string | null): Promise<Invite & { readonly token: string }>;
  /** The invites that can be used, the latest first. */
  listInvites(): Promise<Invite[]>;
  /** Throws `invite_not_found`. */
  deleteInvite(sent: string): Promise<void>;
}

export function createInvites({ db, clock }: Pick<AccountDeps, 'db' | 'clock'>): Invites {
  return {
    async createInvite(sent = null) {
      const email = sent === null ? null : canonicalEmail(sent);
      if (sent !== null && email === null) throw new NotevaultError('email_and_password_required');
      const token = newToken(clock.random, 'nv_inv_');
      const now = clock.now();
      const [id, expiresAt] = [clock.uuid(), now + INVITE_MS];
      await db.transact(async (handle) => {
        await handle.run(store.deleteExpiredInvites, { now });
        await handle.run(store.insertInvite, { id, hash: token.hash, email, now, expiresAt });
      });
      return { id, email, createdAt: now, expiresAt, token: token.raw };
    },
    async listInvites() {
      const rows = await db.all(store.listInvites, { now: clock.now(), limit: LISTED_MAX });
      return rows.map(({ id, email, created_at, expires_at }) => ({
        id,
        email,
        createdAt: created_at,
        expiresAt: expires_at,
      }));
    },
    async deleteInvite(sent) {
      const id = parseUuid(sent);
      const now = clock.now();
      const deleted = id === null ? 0 : await db.transact((handle) => handle.run(store.deleteInvite, { id, now }));
      if (deleted === 0) throw new NotevaultError('invite_not_found');
    },
  };
}
