/** Text in the search field, and its part in the address. */
export interface QueryText {
  readonly text: string;
  /** The query in the address, as it was last seen. */
  readonly known: string;
  /** Queries written to the address and not yet read back, oldest first. */
  readonly asked: readonly string[];
}

/** Follows the address: a query that typing did not put there, such as none after a link, replaces the typed text. */
export function withAddress(query: QueryText, q: string): QueryText {
  if (q === query.known) return query;
  const at = query.asked.indexOf(q);
  if (at === -1) return { text: q, known: q, asked: [] };
  return { text: query.text, known: q, asked: query.asked.slice(at + 1) };
}
