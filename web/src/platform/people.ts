/** Colours that differ from each other and from the accent; white is read on each, and each is seen on both pages. */
export const PEOPLE = ['#c14121', '#3e68d1', '#8455c6', '#9e5e22', '#b83f82', '#1e7d3e', '#277596', '#77700b'] as const;

/** The colour of a person, the same wherever they are shown. */
export function colorOf(userId: string): string {
  const sum = [...userId].reduce((before, char) => (before * 31 + (char.codePointAt(0) ?? 0)) % 9973, 0);
  return PEOPLE[sum % PEOPLE.length] ?? PEOPLE[0];
}
