const timestamp =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt \t]\s{0,8}(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s{0,8}(Z|z|[+-]\d{1,2}(?::?\d{2})?)?)?$/;

/**
 * Reads a date or date-time of ISO 8601 or YAML. A bare date is midnight UTC; a time without a zone is read as UTC.
 * Returns milliseconds since the Unix epoch, or null when the text names no valid time (`2024-02-30`).
 */
export function parseTimestamp(text: string): number | null {
  const match = timestamp.exec(text.trim());
  if (!match) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return null;
  // A leap second is written as 60 and ends where the next minute begins.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null;
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3));
  const offset = zoneOffset(zone);
  if (offset === null) return null;
  date.setUTCHours(Number(hour), Number(minute), Number(second), milliseconds);
  return date.getTime() - offset * 60_000;
}

/** Minutes east of UTC; null when the offset is impossible. */
function zoneOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const [hours = '', minutes = ''] = zone.includes(':') ? zone.slice(1).split(':') : splitZone(zone.slice(1));
  if (Number(hours) > 23 || Number(minutes) > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** `0530`, `530`, `05`, `5`. */
function splitZone(digits: string): [string, string] {
  return digits.length > 2 ? [digits.slice(0, -2), digits.slice(-2)] : [digits, '0'];
}
