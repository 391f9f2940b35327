import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Role } from '@notevault/protocol/operations.ts';
import { GB, MB } from '@notevault/protocol/values/byte-units.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../../ports/clock/clock.ts';

/**
 * The limits and features of an account. Caps are numbers, or null for no cap; flags are permissions, never
 * prohibitions.
 */
export interface Plan {
  readonly vaults_cap: number | null;
  /** Maximum notes over all active vaults of the account. */
  readonly notes_cap: number | null;
  readonly attachments_enabled: boolean;
  readonly max_file_bytes: number | null;
  readonly attachment_bytes_cap: number | null;
  readonly pats_cap: number | null;
  readonly cross_vault_search: boolean;
  /** Per user, over all credentials. */
  readonly requests_per_minute: number | null;
}

export type PlanCap = {
  [Key in keyof Plan]: Plan[Key] extends boolean ? never : Key;
}[keyof Plan];
export type PlanTable = Readonly<Record<string, Plan>>;

export const builtinPlans = {
  self_hosted: {
    vaults_cap: null,
    notes_cap: null,
    attachments_enabled: true,
    max_file_bytes: 500 * MB,
    attachment_bytes_cap: null,
    pats_cap: null,
    cross_vault_search: true,
    requests_per_minute: null,
  },
  free: {
    vaults_cap: 1,
    notes_cap: 10_000,
    attachments_enabled: false,
    max_file_bytes: 0,
    attachment_bytes_cap: 0,
    pats_cap: 2,
    cross_vault_search: false,
    requests_per_minute: 600,
  },
  pro: {
    vaults_cap: 15,
    notes_cap: null,
    attachments_enabled: true,
    max_file_bytes: 500 * MB,
    attachment_bytes_cap: 15 * GB,
    pats_cap: 100,
    cross_vault_search: true,
    requests_per_minute: 6000,
  },
} as const satisfies PlanTable;

/** A cap as a number to compare with: Infinity for no cap. */
export function capOf(plan: Plan, key: PlanCap): number {
  return plan[key] ?? Number.POSITIVE_INFINITY;
}

/** A plan that was removed from the table becomes the most restrictive one, so that nothing is granted by accident. */
export function planOf(table: PlanTable, tier: string): Plan {
  return (Object.hasOwn(table, tier) ? table[tier] : undefined) ?? table.free ?? builtinPlans.free;
}

/** Refusal reasons that differ from the name of their cap. */
const REASONS: Partial<Record<PlanCap, string>> = {
  max_file_bytes: 'file_too_large',
  attachment_bytes_cap: 'attachments_quota_exceeded',
};

/**
 * The account whose plan is used up, and the caller to be told: members of a vault learn nothing of its owner's plan.
 */
interface CapSubject {
  readonly tier: string;
  readonly plan: Plan;
  /** The role of the caller; the owner by default. */
  readonly role?: Role;
}

/** The plan of self-hosted servers. Its file size is the operator's limit, which no owner can raise. */
const SELF_HOSTED: keyof typeof builtinPlans = 'self_hosted';

/** Makes the error for a reached cap; `current` is the present count. */
export function capExceeded(key: PlanCap, { tier, plan, role }: CapSubject, current: number): NotevaultError {
  if (key === 'max_file_bytes' && tier === SELF_HOSTED) {
    return new NotevaultError('file_too_large', { limit: plan.max_file_bytes ?? 0 });
  }
  const numbers = { tier, current, limit: plan[key] ?? 0 };
  return limitExceeded(REASONS[key] ?? `${key}_exceeded`, key, numbers, role);
}

export function attachmentsDisabled({ tier, role }: Omit<CapSubject, 'plan'>): NotevaultError {
  return limitExceeded('attachments_disabled', 'attachments_enabled', { tier, current: null, limit: 0 }, role);
}

function limitExceeded(reason: string, key: string, numbers: object, role: Role = 'owner'): NotevaultError {
  const told = role === 'owner' ? numbers : { tier: null, current: null, limit: null };
  return new NotevaultError('limit_exceeded', { reason, limit_key: key, ...told, upgrade_url: null });
}

/** The content of a plan file: for a known plan the changed keys, for a new plan all keys. */
export type PlanChanges = Readonly<Record<string, Partial<Plan>>>;

/** Merges `changes` into the table; `checkPlans` must have found no fault in them. */
export function mergePlans(base: PlanTable, changes: PlanChanges): PlanTable {
  const table: Record<string, Plan> = { ...base };
  for (const [name, change] of Object.entries(changes)) {
    // A new plan has no entry to extend, but `checkPlans` accepts it only with every key.
    table[name] = { ...(table[name] as Plan), ...change };
  }
  return table;
}

const PLAN_NAME = /^[a-z][a-z0-9_]{0,39}$/;
const KEYS = new Map(Object.entries(builtinPlans.self_hosted).map(([key, value]) => [key, typeof value === 'boolean']));

/** The faults of a plan file's content, in sentences; empty when it can be merged into `base`. */
export function checkPlans(base: PlanTable, content: unknown): string[] {
  if (!isRecord(content)) return ['it must be a JSON object of plans by name, such as {"free": {"vaults_cap": 2}}'];
  return Object.entries(content).flatMap(([name, plan]) => {
    if (!PLAN_NAME.test(name)) return [`plan name "${name}" must be lower-case letters, digits and _`];
    if (!isRecord(plan)) return [`plan "${name}" must be a JSON object`];
    return [...checkKeys(name, plan), ...(Object.hasOwn(base, name) ? [] : checkWhole(name, plan))];
  });
}

function checkKeys(name: string, plan: Record<string, unknown>): string[] {
  return Object.entries(plan).flatMap(([key, value]) => {
    const isFlag = KEYS.get(key);
    if (isFlag === undefined)
      return [`plan "${name}" has an unknown key "${key}"; known: ${[...KEYS.keys()].join(', ')}`];
    if (isFlag) return typeof value === 'boolean' ? [] : [`"${key}" of plan "${name}" must be true or false`];
    const fits = value === null || (Number.isSafeInteger(value) && (value as number) >= 0);
    return fits ? [] : [`"${key}" of plan "${name}" must be a whole number from 0, or null for no cap`];
  });
}

function checkWhole(name: string, plan: Record<string, unknown>): string[] {
  const missing = [...KEYS.keys()].filter((key) => !Object.hasOwn(plan, key));
  return missing.length === 0 ? [] : [`plan "${name}" is new and must have every key; missing: ${missing.join(', ')}`];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const WINDOW_MS = 60_000;
/** A plan of few or no requests must still allow a new account to be set up. */
const ONBOARDING_MAX = 60;
const USERS_MAX = 100_000;

export type RateLimits = ReturnType<typeof createRateLimits>;

interface Window {
  readonly endsAt: number;
  used: number;
  /** Onboarding requests beyond the plan. */
  onboardingUsed: number;
}

/**
 * Counts the requests of each user over all credentials, in windows of a minute that start at the first request. The
 * counts are of this process only: of several processes, each allows the plan's number (see docs/security.md).
 */
export function createRateLimits(clock: Pick<Clock, 'elapsed'>, plans: PlanTable) {
  // Ordered by end, because a window is inserted when it starts.
  const windows = new Map<UserId, Window>();

  function windowOf(userId: UserId, now: number): Window {
    const windowsOfUser = windows.get(userId);
    if (windowsOfUser !== undefined && windowsOfUser.endsAt > now) return windowsOfUser;
    windows.delete(userId);
    for (const [user, { endsAt }] of windows) {
      if (endsAt > now && windows.size < USERS_MAX) break;
      windows.delete(user);
    }
    const fresh = { endsAt: now + WINDOW_MS, used: 0, onboardingUsed: 0 };
    windows.set(userId, fresh);
    return fresh;
  }

  return {
    /** Counts a request against the plan's `requests_per_minute`. Throws `rate_limited`. */
    consume(userId: UserId, tier: string, { onboarding }: { readonly onboarding: boolean }): void {
      const cap = capOf(planOf(plans, tier), 'requests_per_minute');
      if (cap === Number.POSITIVE_INFINITY) return;
      // The wall clock may be set back.
      const now = clock.elapsed();
      const window = windowOf(userId, now);
      if (window.used < cap) {
        window.used += 1;
      } else if (onboarding && window.onboardingUsed < ONBOARDING_MAX) {
        window.onboardingUsed += 1;
      } else {
        throw new NotevaultError('rate_limited', { retry_after: String(Math.ceil((window.endsAt - now) / 1000)) });
      }
    },
  };
}
