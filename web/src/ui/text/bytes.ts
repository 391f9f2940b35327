const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Writes a number of bytes as people read it: `1.5 MB`, `70 bytes`. */
export function bytes(count: number, language: string): string {
  const at = count < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1000 ** at;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[at] ?? 'byte',
    // The short form of bytes has no plural.
    unitDisplay: at === 0 ? 'long' : 'short',
    maximumFractionDigits: value < 10 && at > 0 ? 1 : 0,
  }).format(value);
}
