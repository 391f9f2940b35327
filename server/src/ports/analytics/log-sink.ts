import type { AnalyticsSink } from './analytics.ts';

/** A line for each event, for operators who collect lines. What was written to a log cannot be erased from here. */
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
