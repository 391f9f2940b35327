import { AsyncLocalStorage } from 'node:async_hooks';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';

/**
 * Versions of the rights of an account and of a vault. Each increases in every transaction that takes a right away, and
 * so shows whether a decision made before still holds. Null for what does not exist.
 */
export interface RightsVersions {
  readonly account: number | null;
  readonly vault: number | null;
}

/** Versions that no decision was made from yet. */
export const NO_RIGHTS: RightsVersions = { account: null, vault: null };

/** A caller or a vault with its rights version, as it was read. */
interface WithRightsVersion {
  readonly rightsVersion?: number;
}

/** The subject of a decision: who acts, and in which vault, if in one. */
export interface Subject {
  readonly userId: UserId;
  readonly vaultId: VaultId | null;
}

/**
 * The decision that a caller may do something, with the versions of the rights it was made from. It is compared with
 * the stored versions before the caller's work begins and inside each of its transactions; if they differ, the decision
 * is repeated.
 */
export class Standing implements Subject {
  readonly userId: UserId;
  readonly vaultId: VaultId | null;
  readonly #decide: () => Promise<RightsVersions>;
  #versions: RightsVersions;
  #isSettled = false;

  /** @param decide makes the decision anew. Throws the refusal that the caller gets when the right is gone. */
  constructor({ userId, vaultId }: Subject, versions: RightsVersions, decide: () => Promise<RightsVersions>) {
    this.userId = userId;
    this.vaultId = vaultId;
    this.#versions = versions;
    this.#decide = decide;
  }

  holds({ account, vault }: RightsVersions): boolean {
    if (this.#isSettled) return true;
    const { account: knownAccount, vault: knownVault } = this.#versions;
    return account !== null && account === knownAccount && (this.vaultId === null || vault === knownVault);
  }

  /** Returns this standing for a vault that the caller names later. `open` decides on that vault anew. */
  forVault(vault: WithRightsVersion & { readonly id: VaultId }, open: () => Promise<WithRightsVersion>): Standing {
    const versions = (opened: WithRightsVersion) => ({ ...this.#versions, vault: opened.rightsVersion ?? null });
    return new Standing({ userId: this.userId, vaultId: vault.id }, versions(vault), async () => {
      await this.renew();
      return versions(await open());
    });
  }

  /** Whether both are based on the same versions of one account and vault, so that comparing one of them suffices. */
  isAlike(other: Standing | undefined): boolean {
    if (other === undefined || other.userId !== this.userId || other.vaultId !== this.vaultId) return false;
    const { account, vault } = other.#versions;
    return account === this.#versions.account && vault === this.#versions.vault;
  }

  async renew(): Promise<void> {
    this.#versions = await this.#decide();
  }

  /** Ends the checks, once the caller has taken rights away: perhaps their own, and the rest is the server's work. */
  settle(): void {
    this.#isSettled = true;
  }
}

/**
 * The standing of a person who signed in on a page for one decision. There is no session to look up again, so it ends
 * with any right that is taken away from the account: renewing it throws `sign_in_again`.
 */
export function standingOfSignIn(userId: UserId, rightsVersion: number | null): Standing {
  return new Standing({ userId, vaultId: null }, { account: rightsVersion, vault: null }, async () => {
    throw new NotevaultError('sign_in_again');
  });
}

/** The rights versions that were read with a caller and their vault. */
export function versionsOf(principal: WithRightsVersion, vault?: WithRightsVersion): RightsVersions {
  return { account: principal.rightsVersion ?? null, vault: vault?.rightsVersion ?? null };
}

/**
 * Thrown in a transaction when rights were removed since the decision: the decision is repeated and the transaction
 * retried.
 */
export class RightsChanged extends Error {
  override readonly name = 'RightsChanged';
  readonly standing: Standing;
  constructor(standing: Standing) {
    super('rights were taken away meanwhile');
    this.standing = standing;
  }
}

/** The standing under which code runs, and whether the present transaction has compared it under a lock. */
interface Check {
  readonly standing: Standing;
  isDone: boolean;
}

const checks = new AsyncLocalStorage<Check | undefined>();

/** Runs work whose transactions commit only while the standing holds. */
export function runUnder<Result>(standing: Standing | undefined, work: () => Result): Result {
  return checks.run(standing === undefined ? undefined : { standing, isDone: false }, work);
}

export function currentStanding(): Standing | undefined {
  return checks.getStore()?.standing;
}

/** Records that the present transaction has compared its standing under a lock. */
export function markChecked(): void {
  const check = checks.getStore();
  if (check !== undefined) check.isDone = true;
}

export function isChecked(): boolean {
  return checks.getStore()?.isDone ?? true;
}
