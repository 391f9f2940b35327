import type { AnalyticsSink } from './analytics.ts';

/**
 * Writes a log line for each event, for operators who collect logs. A log cannot be changed from here, so `erase` only
 * writes a line that asks for the erasure.
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
