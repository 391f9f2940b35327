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
