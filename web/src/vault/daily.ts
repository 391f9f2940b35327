import { within } from '../tree/model/moves.ts';

/** The path of the daily note of a day. */
export function dailyPath(folder: string, day: string): string {
  return within(folder, `${day}.md`);
}
