import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import { capOf, type PlanTable, planOf } from './plans.ts';

const WINDOW_MS = 60_000;
/** A plan of few or no requests must still allow a new account to be set up. */
const ONBOARDING_MAX = 60;
const USERS_MAX = 100_000;

export interface RateLimits {
  /** Counts a request against the plan's `requests_per_minute`. Throws `rate_limited`. */
  consume(userId: UserId, tier: string, use: { readonly onboarding: boolean }): void;
}

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
export function createRateLimits(clock: Clock, plans: PlanTable): RateLimits {
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
    consume(userId, tier, { onboarding }) {
      const cap = capOf(planOf(plans, tier), 'requests_per_minute');
      if (cap === Number.POSITIVE_INFINITY) return;
      const now = clock.now();
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
