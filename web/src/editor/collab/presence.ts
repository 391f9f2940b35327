/** Who a cursor belongs to. */
export interface Presence {
  readonly name: string;
  readonly color: string;
  readonly colorLight: string;
}

/** Colours that differ from each other and from the accent; white is read on each, and each is seen on both pages. */
export const PEOPLE = ['#c14121', '#3e68d1', '#8455c6', '#9e5e22', '#b83f82', '#1e7d3e', '#277596', '#77700b'] as const;

/** How the cursor of a client looks to others. The colour follows from the client, so that it stays the same. */
export function presenceOf(name: string, clientId: number): Presence {
  const color = PEOPLE[clientId % PEOPLE.length] ?? PEOPLE[0];
  return { name, color, colorLight: `${color}40` };
}
