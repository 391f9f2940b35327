/** The part to tune with, or the one to report. */
export type Part = 'tune' | 'report';

export interface GoldenQuery {
  readonly vault: string;
  readonly kind: string;
  readonly query: string;
  /** Paths of the notes that answer it. */
  readonly notes: readonly string[];
  readonly part: Part;
  /** The sentence that the query was taken from, or null. */
  readonly answer: string | null;
}
