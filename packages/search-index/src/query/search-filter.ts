/** Which notes a request admits, besides what its query says. */
export interface SearchFilter {
  /** A note must have one of them, or a tag below it. */
  readonly tags: readonly string[] | null;
  /** The folder and all below it; the root is `''`. */
  readonly folder: string | null;
  readonly type: string | null;
  /** A note without the date fails a range. */
  readonly created: DateRange;
  readonly timestamp: DateRange;
}

/** Epoch milliseconds, both inclusive; null for no bound. */
export interface DateRange {
  readonly from: number | null;
  readonly to: number | null;
}

/** For each segment one byte a note: 1 where the note may be a result. */
export type NoteMasks = readonly Uint8Array[];
