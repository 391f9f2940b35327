/** The day of a date where the browser is: `2026-11-22`. */
export function dayOf(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** Says which day a date is on, seen from now: "Today", "Yesterday", "Friday"; after a week its date. */
export function dayName(date: Date, now: Date, language: string): string {
  const days = Math.round((startOf(now) - startOf(date)) / DAY_MS);
  if (days === 0 || days === 1) {
    const word = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-days, 'day');
    return word.replace(/^./u, (first) => first.toLocaleUpperCase(language));
  }
  if (days > 1 && days < 7) return date.toLocaleDateString(language, { weekday: 'long' });
  const isThisYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString(language, {
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

/** The time of a day as people write it: `8:12 PM`. */
export function timeOfDay(date: Date, language: string): string {
  return date.toLocaleTimeString(language, { timeStyle: 'short' });
}

const DAY_MS = 86_400_000;

/** When the day of a date begins, with days of equal length: none has 23 hours. */
function startOf(date: Date): number {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}
