import type { Accounts } from './domains/content/accounts/accounts.ts';
import type { AnalyticsEvent, AnalyticsSink } from './ports/analytics/analytics.ts';
import type { Clock } from './ports/clock/clock.ts';

const BUFFER_MAX = 1000;
const BATCH = 100;

/** Records what users do, for product analytics; nothing for users who opt out. No request waits for it. */
export interface ProductEvents {
  /** Events beyond 1,000 waiting ones are dropped, so that nothing piles up while the sink is down. */
  vaultOpened(userId: Parameters<Accounts['me']>[0]): void;
  /** Sends waiting events, then the erasures; those that the sink did not accept wait for the next flush. */
  flush(): Promise<void>;
}

export function createProductEvents(
  sink: AnalyticsSink | null,
  accounts: Pick<Accounts, 'me' | 'sendErasures'>,
  clock: Clock,
): ProductEvents {
  const buffered: AnalyticsEvent[] = [];
  /** Running look-ups, which a flush awaits. */
  const asking = new Set<Promise<void>>();

  async function buffer(userId: Parameters<Accounts['me']>[0], at: number): Promise<void> {
    const { analyticsId } = await accounts.me(userId);
    if (analyticsId !== null && buffered.length < BUFFER_MAX) buffered.push({ event: 'vault_opened', analyticsId, at });
  }

  return {
    vaultOpened(userId) {
      if (sink === null || buffered.length + asking.size >= BUFFER_MAX) return;
      // An account that was deleted meanwhile sends no event.
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
      // After the events, because an event sent after the erasure would create the person again.
      await accounts.sendErasures();
    },
  };
}
