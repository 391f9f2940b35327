const MB = 1024 * 1024;

/** What large answers are likely to take of memory while they are made, for `answerBytes` of a route. */
export const answerBytes = {
  /** A page or list of megabytes: it is there as rows, as texts, and as JSON. */
  page: 16 * MB,
  /** A note, mostly far smaller than it may be. */
  note: 2 * MB,
  /** What a write answers: with the note it wrote. */
  write: MB,
} as const;
