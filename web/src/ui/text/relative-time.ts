const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Says when something was: "now", "5 min ago", "yesterday"; after a week its date. */
export function relativeTime(date: Date, now: Date, language: string): string {
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000);
  const distance = Math.abs(seconds);
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  if (distance < MINUTE) return format.format(0, 'second');
  if (distance < HOUR) return format.format(Math.trunc(seconds / MINUTE), 'minute');
  if (distance < DAY) return format.format(Math.trunc(seconds / HOUR), 'hour');
  if (distance < WEEK) return format.format(Math.trunc(seconds / DAY), 'day');
  const isThisYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString(language, {
    day: 'numeric',
    month: 'short',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}
