import { within } from '../tree/model/moves.ts';

/** The day of a date where the browser is: `2026-11-22`. */
export function dayOf(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The path of the daily note of a day. */
export function dailyPath(folder: string, day: string): string {
  return within(folder, `${day}.md`);
}
