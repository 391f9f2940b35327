import type { AnalyticsSink } from './analytics.ts';

export interface PosthogOptions {
  /** Of the server, without a path. */
  readonly url: string;
  /** The project's key, which lets events in. */
  readonly key: string;
  /** A personal key that may delete persons. */
  readonly eraseKey: string;
  readonly project: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;

/** A server that speaks PostHog's HTTP API: `POST /batch/`, `POST /api/projects/{id}/persons/bulk_delete/`. */
export function posthogSink({ url, key, eraseKey, project, timeoutMs = TIMEOUT_MS }: PosthogOptions): AnalyticsSink {
  async function post(path: string, body: object, headers: Record<string, string>): Promise<void> {
    const response = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      // Following one would send ids and keys to whoever it names.
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
        // The server's own address would pass for the person's.
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
