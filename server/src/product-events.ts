import type { Accounts } from './domains/accounts/accounts.ts';
import type { AnalyticsEvent, AnalyticsSink } from './ports/analytics/analytics.ts';
import type { Clock } from './ports/clock/clock.ts';

const BUFFER_MAX = 1000;
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
  const buffered: AnalyticsEvent[] = [];
  /** Look-ups under way, so that a flush misses none. */
  const asking = new Set<Promise<void>>();

  async function buffer(userId: Parameters<Accounts['me']>[0], at: number): Promise<void> {
    const { analyticsId } = await accounts.me(userId);
    if (analyticsId !== null && buffered.length < BUFFER_MAX) buffered.push({ event: 'vault_opened', analyticsId, at });
  }

  return {
    vaultOpened(userId) {
      if (sink === null || buffered.length + asking.size >= BUFFER_MAX) return;
      // An account that is gone meanwhile has nothing to tell.
      const asked: Promise<void> = buffer(userId, clock.now())
        .catch(() => undefined)
        .finally(() => asking.delete(asked));
      asking.add(asked);
    },
    async flush() {
      if (sink === null) return;
      await Promise.all(asking);
      while (buffered.length > 0) {
        const batch = buffered.splice(0, BATCH);
        try {
          await sink.send(batch);
        } catch (error) {
          buffered.unshift(...batch);
          throw error;
        }
      }
      // After the events: one that waited must not make a person anew.
      await accounts.sendErasures();
    },
  };
}
