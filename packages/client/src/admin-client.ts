import type {
  AdminHealth,
  AdminInvite,
  AdminInviteCreated,
  AdminInvites,
  AdminUser,
  AdminUserChange,
  AdminUserResponse,
  AdminUsersPage,
} from '@notevault/protocol/admin.ts';
import type { PublicLinkCount } from '@notevault/protocol/public-links.ts';
import type { Transport } from './transport.ts';

const linksOf = (id: string) => `/admin/users/${encodeURIComponent(id)}/links`;

/** The operations of admins; all of them throw ApiError and ConnectionError. */
export class AdminClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Returns a page of accounts; the next one begins at its `next_cursor`. */
  async users(cursor?: string): Promise<AdminUsersPage> {
    return this.#transport.json({ method: 'GET', path: '/admin/users', query: { cursor } });
  }

  async updateUser(id: string, change: AdminUserChange): Promise<AdminUser> {
    const path = `/admin/users/${encodeURIComponent(id)}`;
    return (await this.#transport.json<AdminUserResponse>({ method: 'PATCH', path, json: change })).user;
  }

  /** @param password of the admin. */
  async deleteUser(id: string, password: string | null): Promise<void> {
    const path = `/admin/users/${encodeURIComponent(id)}`;
    await this.#transport.json({ method: 'DELETE', path, json: password === null ? {} : { password } });
  }

  /** Removes the second factor of an account: its password alone signs in then. */
  async resetSecondFactor(id: string): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: `/admin/users/${encodeURIComponent(id)}/second-factor` });
  }

  /** Counts the public links of an account’s vaults. */
  async countLinks(id: string): Promise<number> {
    return (await this.#transport.json<PublicLinkCount>({ method: 'GET', path: linksOf(id) })).count;
  }

  /** Ends the public links of an account’s vaults; returns their number. */
  async endLinks(id: string): Promise<number> {
    return (await this.#transport.json<PublicLinkCount>({ method: 'DELETE', path: linksOf(id) })).count;
  }

  async invites(): Promise<AdminInvite[]> {
    return (await this.#transport.json<AdminInvites>({ method: 'GET', path: '/admin/invites' })).invites;
  }

  /** Makes an invite, whose token only this answer contains. */
  async createInvite(email?: string): Promise<AdminInviteCreated> {
    // A lost answer would have lost the token too, so a repetition must make another one.
    return this.#transport.json({ method: 'POST', path: '/admin/invites', json: { email }, repeatable: false });
  }

  async deleteInvite(id: string): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: `/admin/invites/${encodeURIComponent(id)}` });
  }

  async health(): Promise<AdminHealth> {
    return this.#transport.json({ method: 'GET', path: '/admin/health' });
  }
}
