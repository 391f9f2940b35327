/** Larger files are compared by their bytes: a settings file or canvas has some kilobytes. */
const BYTES_MAX = 4 * 1024 * 1024;

/**
 * Returns whether only the value of a file counts: the settings of Obsidian, which it writes again at each start, and
 * canvases, in which it and the server rewrite the same links, in another order or with other spaces.
 *
 * @param file with its number of bytes, if that is known
 */
export function isComparedByValue({ path, size }: { readonly path: string; readonly size: number | null }): boolean {
  return size !== null && size <= BYTES_MAX && /^\.obsidian\/.+\.json$|\.canvas$/i.test(path);
}

/** Returns whether two texts are JSON of one value. The order of an object's keys does not count. */
export function isSameValue(a: string, b: string): boolean {
  try {
    return isEqual(JSON.parse(a), JSON.parse(b));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [keys, others] = [Object.keys(a), Object.keys(b)];
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key as keyof typeof a], b[key as keyof typeof b]))
  );
}
