/** The restrictions of a request on the notes it may find, besides its query. */
export interface SearchFilter {
  /** A note must have one of these tags, or a tag below one of them. */
  readonly tags: readonly string[] | null;
  /** The folder and all below it; the root is `''`. */
  readonly folder: string | null;
  readonly type: string | null;
  /** A note without the date is outside every range. */
  readonly created: DateRange;
  readonly timestamp: DateRange;
  /** The time of the last write on the server. */
  readonly changed: DateRange;
}

/** Epoch milliseconds, both inclusive; null for no bound. */
export interface DateRange {
  readonly from: number | null;
  readonly to: number | null;
}

/** Masks with one byte per note, by segment: 1 if the note may be a result. */
export type NoteMasks = readonly Uint8Array[];

const NO_BOUNDS: DateRange = { from: null, to: null };
/** Lets every note pass. */
export const NO_FILTER: SearchFilter = {
  tags: null,
  folder: null,
  type: null,
  created: NO_BOUNDS,
  timestamp: NO_BOUNDS,
  changed: NO_BOUNDS,
};
