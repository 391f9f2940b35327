import type { Accounts } from './domains/accounts/accounts.ts';
import type { AnalyticsEvent, AnalyticsSink } from './engines/analytics/analytics.ts';
import type { Clock } from './engines/clock/clock.ts';

const HELD_MAX = 1000;
const BATCH = 100;

/** What people do, for whoever improves the product; of those who object, nothing. No request waits for any of it. */
export interface ProductEvents {
  /** Beyond 1,000 that wait, events are dropped: nothing may pile up behind a sink that is away. */
  vaultOpened(userId: Parameters<Accounts['me']>[0]): void;
  /** Sends what waits, then the erasures; what the sink did not take waits for the next time. */
  flush(): Promise<void>;
}

export function createProductEvents(
  sink: AnalyticsSink | null,
  accounts: Pick<Accounts, 'me' | 'sendErasures'>,
  clock: Clock,
): ProductEvents {
  const held: AnalyticsEvent[] = [];
  /** Look-ups under way, so that a flush misses none. */
  const asking = new Set<Promise<void>>();

  async function hold(userId: Parameters<Accounts['me']>[0], at: number): Promise<void> {
    const { analyticsId } = await accounts.me(userId);
    if (analyticsId !== null && held.length < HELD_MAX) held.push({ event: 'vault_opened', analyticsId, at });
  }

  return {
    vaultOpened(userId) {
      if (sink === null || held.length + asking.size >= HELD_MAX) return;
      // An account that is gone meanwhile has nothing to tell.
      const asked: Promise<void> = hold(userId, clock.now())
        .catch(() => undefined)
        .finally(() => asking.delete(asked));
      asking.add(asked);
    },
    async flush() {
      if (sink === null) return;
      await Promise.all(asking);
      while (held.length > 0) {
        const batch = held.splice(0, BATCH);
        try {
          await sink.send(batch);
        } catch (error) {
          held.unshift(...batch);
          throw error;
        }
      }
      // After the events: one that waited must not make a person anew.
      await accounts.sendErasures();
    },
  };
}
