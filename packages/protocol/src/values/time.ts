let last = { ms: 0, text: new Date(0).toISOString() };

/** Formats milliseconds since the epoch as a timestamp for the wire. */
export function isoTime(ms: number): string {
  // Rows that were written together have the same time, and lists show thousands of them.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
