import type { Clock } from '../../../ports/clock/clock.ts';
import type { Database } from '../../../ports/database/database.ts';
import type { Accounts, ListedUser, UserChange } from '../../content/accounts/accounts.ts';
import type { Mails } from '../../content/mails/mails.ts';
import type { Totals, Vaults } from '../../content/vaults/vaults.ts';
import type { Principal } from '../../foundation/access/access.ts';
import type { PlanTable } from '../../foundation/plans/plans.ts';

export interface AdminDeps {
  readonly db: Pick<Database, 'engine'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly accounts: Accounts;
  readonly mails: Pick<Mails, 'state'>;
  readonly vaults: Pick<Vaults, 'totals' | 'totalsOfUsers'>;
  readonly plans: PlanTable;
  readonly version: string;
  readonly backups: () => Promise<BackupTimes>;
}

/** When backups were taken and failed, in epoch milliseconds. */
export interface BackupTimes {
  /** The last one that ended well; null before the first one. */
  readonly takenAt: number | null;
  /** The failure of the last one; null when that ended well. */
  readonly failure: { readonly at: number; readonly reason: 'damaged' | 'failed' } | null;
}

const NOTHING: Totals = { vaults: 0, notes: 0, attachments: 0, bytes: 0 };

/** An account with its totals: counts and sizes, never anything that its owner wrote. */
export interface AdminUser extends ListedUser {
  readonly totals: Totals;
}

/** The operations of admins over HTTP. The routes require a session of an admin. */
export class Admin {
  readonly #deps: AdminDeps;
  readonly #startedAt: number;

  constructor(deps: AdminDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.now();
  }

  /** Throws `invalid_cursor`. */
  async users(cursor: string | undefined): Promise<{ users: AdminUser[]; next: string | null }> {
    const { users, next } = await this.#deps.accounts.listUsers(cursor);
    return { users: await this.#withTotals(users), next };
  }

  /** Throws `user_not_found`, `validation` for an unknown plan, `last_admin`, `admin_required`. */
  async updateUser(admin: Principal, id: string, change: UserChange): Promise<AdminUser> {
    const user = await this.#deps.accounts.updateUser(admin.userId, id, change);
    const [changed] = await this.#withTotals([user]);
    return changed ?? { ...user, totals: NOTHING };
  }

  /** Throws `user_not_found`, `last_admin`, `admin_required`, and the errors of the admin's password. */
  async deleteUser(admin: Principal, id: string, password: unknown): Promise<void> {
    await this.#deps.accounts.deleteUser(admin, id, password);
  }

  get invites(): Pick<Accounts, 'createInvite' | 'listInvites' | 'deleteInvite'> {
    return this.#deps.accounts;
  }

  async health() {
    const { db, clock, accounts, mails, vaults, plans, version } = this.#deps;
    return {
      version,
      startedAt: this.#startedAt,
      now: clock.now(),
      engine: db.engine,
      registrationMode: (await accounts.bootstrap(null)).mode,
      plans: Object.keys(plans),
      ...(await accounts.countAccounts()),
      totals: await vaults.totals(),
      backups: await this.#deps.backups(),
      mails: await mails.state(),
    };
  }

  /** @param users of one page, in order of their ids. */
  async #withTotals(users: readonly ListedUser[]): Promise<AdminUser[]> {
    const [first, last] = [users.at(0), users.at(-1)];
    if (first === undefined || last === undefined) return [];
    const totals = await this.#deps.vaults.totalsOfUsers(first.id, last.id);
    return users.map((user) => ({ ...user, totals: totals.get(user.id) ?? NOTHING }));
  }
}
