import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Need, ProofRule, Rule } from '@notevault/protocol/operations.ts';
import type { FoundVault } from '../domains/content/vaults/access.ts';
import { checkRole, checkWho, type OpenVault, type Principal } from '../domains/foundation/access/access.ts';
import type { RateLimits } from '../domains/foundation/plans/plans.ts';
import { Standing, versionsOf } from '../domains/foundation/rights/rights.ts';
import type { Guard, SelectedVault } from '../http/route.ts';
import type { Database } from '../ports/database/database.ts';
import { isStorageFull } from '../telemetry/storage-state.ts';
import type { Domains } from './domains.ts';
import { credentialName, RecentVaults } from './recent-vaults.ts';

/** Authenticates callers, limits their requests, and opens the vault of a request. */
export class RequestGuard implements Guard {
  readonly #domains: Pick<Domains, 'accounts' | 'credentials' | 'vaults' | 'notes'>;
  readonly #db: Database;
  readonly #rateLimits: RateLimits;
  readonly #recent = new RecentVaults();

  constructor(
    domains: Pick<Domains, 'accounts' | 'credentials' | 'vaults' | 'notes'>,
    db: Database,
    rateLimits: RateLimits,
  ) {
    this.#domains = domains;
    this.#db = db;
    this.#rateLimits = rateLimits;
  }

  authenticate(
    authorization: string | undefined,
    client: { readonly ip: string; readonly userAgent: string | null },
  ): Promise<Principal> {
    return this.#domains.credentials.authenticate(authorization, client);
  }

  async recall(principal: Principal): Promise<Principal> {
    const current = await this.#domains.credentials.recall(principal);
    if (current !== null) return current;
    throw new NotevaultError((await this.#domains.vaults.isSuspended(principal.userId)) ? 'suspended' : 'unauthorized');
  }

  consumeQuota({ userId, tier }: Principal, use: { readonly onboarding: boolean }): void {
    this.#rateLimits.consume(userId, tier, use);
  }

  requireProof(principal: Principal, rule: ProofRule): Promise<void> {
    return this.#domains.accounts.requireProof(principal, rule);
  }

  selectVault(header: string | undefined, authorization: string | undefined): SelectedVault {
    if (header === undefined) return unexpected((principal, need) => this.#open(principal, need, header));
    const found = this.#domains.vaults.findVault(header);
    // It is awaited only for a caller who is known.
    found.catch(() => undefined);
    const open = (principal: Principal, need: Need) => this.#open(principal, need, header, found);
    // On SQLite a statement is a call, so reading beforehand would save nothing.
    if (this.#db.engine === 'sqlite' || authorization === undefined) return unexpected(open);
    const credential = credentialName(authorization, header);
    return {
      expected: this.#recent.find(credential),
      open: async (principal, need) => {
        const vault = await open(principal, need);
        return vault.hasWaitingEdits ? vault : this.#recent.confirm(credential, vault);
      },
      refused: () => this.#recent.forget(credential),
    };
  }

  async recheck(principal: Principal, { id }: OpenVault): Promise<void> {
    await this.#domains.vaults.openVault(await this.recall(principal), id, 'read');
  }

  standingOf(principal: Principal, vault: OpenVault | undefined, rule: Pick<Rule, 'who' | 'vault' | 'role'>): Standing {
    const subject = { userId: principal.userId, vaultId: vault?.id ?? null };
    const decide = async () => {
      const current = await this.recall(principal);
      checkWho(rule, current);
      if (vault === undefined || rule.vault === undefined) return versionsOf(current);
      const opened = await this.#domains.vaults.openVault(current, vault.id, rule.vault);
      checkRole(opened.role, rule);
      return versionsOf(current, opened);
    };
    return new Standing(subject, versionsOf(principal, vault), decide);
  }

  confirm(standing: Standing): Promise<void> {
    return this.#domains.vaults.confirmRights(standing);
  }

  async stateOf(vault: OpenVault): Promise<string> {
    const { changeSeq } = await this.#domains.vaults.feed(this.#db, vault);
    return `${vault.id} ${vault.feedEpoch} ${changeSeq}`;
  }

  /** Forgets the keys of all vaults, because one was closed. */
  vaultClosed(): void {
    this.#recent.clear();
  }

  async #open(principal: Principal, need: Need, header: string | undefined, found?: Promise<FoundVault | undefined>) {
    const { vaults, notes } = this.#domains;
    const vault = await vaults.openVault(principal, header, need, found);
    // A socket's acknowledged edit must be visible to every later request. On a full disk it stays in the log, and its
    // note can still be read without it.
    if (vault.hasWaitingEdits) {
      await notes.live.flush(vault).catch((error: unknown) => {
        if (need === 'write' || !isStorageFull(error)) throw error;
      });
    }
    return vault;
  }
}

/** A vault whose rows are not read before it is opened. */
function unexpected(open: SelectedVault['open']): SelectedVault {
  return { expected: undefined, open, refused: () => undefined };
}
