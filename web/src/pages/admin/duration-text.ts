const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Writes a number of seconds in the largest unit that it fills, at least in minutes: `3 days`. */
export function durationText(seconds: number, language: string): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['minute', 60];
  const count = Math.floor(seconds / size);
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
