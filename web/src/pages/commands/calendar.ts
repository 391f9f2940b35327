/** A month as a calendar shows it: weeks of seven days, of which some are of the months beside it. */
export interface Month {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  /** Days as `2026-11-25`. */
  readonly weeks: readonly (readonly string[])[];
}

/** The month of a day. @param firstDay the day that weeks begin with: 1 for Monday to 7 for Sunday. */
export function monthOf(day: string, firstDay: number): Month {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const first = new Date(Date.UTC(year, month - 1, 1));
  const before = (first.getUTCDay() - firstDay + 7) % 7;
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const count = Math.ceil((before + length) / 7);
  const weeks = Array.from({ length: count }, (_, week) =>
    Array.from({ length: 7 }, (_, at) => textOf(Date.UTC(year, month - 1, 1 - before + week * 7 + at))),
  );
  return { year, month, weeks };
}

/** A day that is some days after another. */
export function addDays(day: string, days: number): string {
  return textOf(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000);
}

/** The same day of another month, or the last one of it. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return textOf(Date.UTC(year, month - 1 + months, Math.min(date, last)));
}

/** Returns the day that a key moves the focus to; null for other keys. */
export function dayByKey(key: string, day: string, firstDay: number): string | null {
  const at = (new Date(`${day}T00:00:00Z`).getUTCDay() - firstDay + 7) % 7;
  const steps: Readonly<Record<string, number>> = {
    ArrowLeft: -1,
    ArrowRight: 1,
    ArrowUp: -7,
    ArrowDown: 7,
    Home: -at,
    End: 6 - at,
  };
  if (key === 'PageUp' || key === 'PageDown') return addMonths(day, key === 'PageUp' ? -1 : 1);
  const step = steps[key];
  return step === undefined ? null : addDays(day, step);
}

/** The day that weeks begin with where a language is spoken: 1 for Monday to 7 for Sunday. */
export function firstDayOf(language: string): number {
  const locale: Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } } =
    new Intl.Locale(language);
  return locale.getWeekInfo?.().firstDay ?? locale.weekInfo?.firstDay ?? 1;
}

function textOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
