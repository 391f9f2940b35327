import { parseTimestamp } from '@notevault/note-text/frontmatter/dates.ts';

const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
/** Offsets change on quarters of an hour. */
const QUARTER_MS = HOUR_MS / 4;
const MAX_KNOWN = 10_000;

const bareDate = /^\s*\d{4}-\d{1,2}-\d{1,2}\s*$/;
const withZone = /:\d{2}.*(?:Z|[+-]\d{1,2}(?::?\d{2})?)\s*$/i;

/** A time zone of IANA’s list, in which dates without a zone are read. */
export class Zone {
  readonly #format: Intl.DateTimeFormat | null;
  readonly #offsets = new Map<number, number>();

  /** Throws RangeError for an unknown zone. */
  constructor(name: string) {
    // The first format of a process loads the data of all languages.
    const format = name === 'UTC' ? null : formatIn(name);
    this.#format = format?.resolvedOptions().timeZone === 'UTC' ? null : format;
  }

  /** Returns the instant in epoch milliseconds at which clocks show a time, given as though it were UTC. */
  instantOf(local: number): number {
    if (this.#format === null) return local;
    const guess = local - this.#offsetAt(local);
    return local - this.#offsetAt(guess);
  }

  #offsetAt(instant: number): number {
    const day = Math.floor(instant / DAY_MS) * DAY_MS;
    const atStart = this.#offsetAtQuarter(day);
    // The same at both ends: then it did not change on that day.
    if (atStart === this.#offsetAtQuarter(day + DAY_MS)) return atStart;
    return this.#offsetAtQuarter(Math.floor(instant / QUARTER_MS) * QUARTER_MS);
  }

  #offsetAtQuarter(instant: number): number {
    const known = this.#offsets.get(instant);
    if (known !== undefined) return known;
    const parts = new Map(this.#format?.formatToParts(instant).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
    const date = new Date(0);
    const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
    date.setUTCFullYear(year, part('month') - 1, part('day'));
    date.setUTCHours(part('hour'), part('minute'), part('second'));
    const offset = date.getTime() - instant;
    if (this.#offsets.size >= MAX_KNOWN) this.#offsets.clear();
    this.#offsets.set(instant, offset);
    return offset;
  }
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
}

/** The instants that a date names: a day, or one millisecond; the end is not part of it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Reads a date or date-time; one without a zone is of the given one. Returns null for any other text. */
export function spanOf(text: string, zone: Zone): Span | null {
  if (!looksLikeDate(text)) return null;
  const time = parseTimestamp(text);
  if (time === null) return null;
  if (bareDate.test(text)) return { start: zone.instantOf(time), end: zone.instantOf(time + DAY_MS) };
  const start = withZone.test(text) ? time : zone.instantOf(time);
  return { start, end: start + 1 };
}

/** Returns whether a text has the form of a date, be it valid or not. */
export function looksLikeDate(text: string): boolean {
  return text.length <= 64 && /^\s*\d{4}-\d{1,2}-\d{1,2}(?:[Tt \t]\s{0,8}\d{1,2}:\d{2}.*)?\s*$/.test(text);
}
