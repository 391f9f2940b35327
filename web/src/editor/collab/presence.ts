/** Who a cursor belongs to. */
export interface Presence {
  readonly name: string;
  readonly color: string;
  readonly colorLight: string;
}

/** Hues that differ from each other, and from the accent. */
const HUES = [15, 45, 90, 145, 200, 255, 290, 325] as const;

/** How the cursor of a client looks to others. The colour follows from the client, so that it stays the same. */
export function presenceOf(name: string, clientId: number): Presence {
  const hue = HUES[clientId % HUES.length] ?? 200;
  return { name, color: `oklch(0.58 0.13 ${hue})`, colorLight: `oklch(0.58 0.13 ${hue} / 0.25)` };
}
