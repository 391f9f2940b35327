/** One thing that somebody did, under an id that stands for them without telling who they are. */
export interface AnalyticsEvent {
  readonly event: 'vault_opened';
  readonly analyticsId: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Where product analytics go. Both calls reject when nothing was taken; nobody waits for them who serves a request. */
export interface AnalyticsSink {
  send(events: readonly AnalyticsEvent[]): Promise<void>;
  /** Erases the person behind an id, with their events. Erasing who is not there is no error. */
  erase(analyticsId: string): Promise<void>;
}
