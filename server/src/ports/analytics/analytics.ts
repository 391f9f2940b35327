/** One action of a user, under a pseudonymous id. */
export interface AnalyticsEvent {
  readonly event: 'vault_opened';
  readonly analyticsId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The receiver of product analytics. Both calls reject when nothing was accepted; no request waits for them. */
export interface AnalyticsSink {
  send(events: readonly AnalyticsEvent[]): Promise<void>;
  /** Erases the person behind an id and their events. An unknown id is not an error. */
  erase(analyticsId: string): Promise<void>;
}

/**
 * Creates a sink for operators who collect logs. The server cannot change a log, so `erase` only requests the erasure.
 */
export function logSink(write: (labels: { event: string; client: string }) => void): AnalyticsSink {
  return {
    async send(events) {
      for (const { event, analyticsId } of events) write({ event, client: analyticsId });
    },
    async erase(analyticsId) {
      write({ event: 'person_erased', client: analyticsId });
    },
  };
}

interface PosthogOptions {
  /** Base URL of the server, without a path. */
  readonly url: string;
  /** The project's key, which allows sending events. */
  readonly key: string;
  /** A personal key with permission to delete persons. */
  readonly eraseKey: string;
  readonly project: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** Sends events to a server with PostHog's HTTP API: `POST /batch/`, `POST /api/projects/{id}/persons/bulk_delete/`. */
export function posthogSink({ url, key, eraseKey, project, timeoutMs = TIMEOUT_MS }: PosthogOptions): AnalyticsSink {
  async function post(path: string, body: object, headers: Record<string, string>): Promise<void> {
    const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      // A redirect is not followed, because it would send ids and keys to another address.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`the analytics server answered ${response.status}`);
  }

  return {
    async send(events) {
      const batch = events.map(({ event, analyticsId, at }) => ({
        event,
        distinct_id: analyticsId,
        timestamp: new Date(at).toISOString(),
        // Otherwise PostHog would record the server's address as the person's.
        properties: { $lib: 'notevault', $ip: null, $geoip_disable: true },
      }));
      await post('/batch/', { api_key: key, batch }, {});
    },
    async erase(analyticsId) {
      const path = `/api/projects/${encodeURIComponent(project)}/persons/bulk_delete/`;
      await post(path, { distinct_ids: [analyticsId], delete_events: true }, { authorization: `Bearer ${eraseKey}` });
    },
  };
}
