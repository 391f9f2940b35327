const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Names a browser and its system by its User-Agent; the first word of another program; null if there is nothing. */
export function browserName(userAgent: string | null): string | null {
  if (userAgent === null || userAgent.trim() === '') return null;
  const [browser, system] = [BROWSERS, SYSTEMS].map((names) => names.find(([mark]) => userAgent.includes(mark))?.[1]);
  if (browser === undefined) return userAgent.split(/[\s/]/, 1)[0] ?? null;
  return system === undefined ? browser : `${browser}, ${system}`;
}
