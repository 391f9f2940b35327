import { PEOPLE } from '../../platform/people.ts';

/** Who a cursor belongs to. */
export interface Presence {
  readonly name: string;
  readonly color: string;
  readonly colorLight: string;
}

/** How the cursor of a client looks to others. The colour follows from the client, so that it stays the same. */
export function presenceOf(name: string, clientId: number): Presence {
  const color = PEOPLE[clientId % PEOPLE.length] ?? PEOPLE[0];
  return { name, color, colorLight: `${color}40` };
}
