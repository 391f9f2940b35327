/** Something that is looked for by its name. */
export interface Named {
  readonly name: string;
  readonly path: string;
}

/** The entries that fit what was typed, the best first: names that begin with it, then those with it in name or path. */
export function rankNotes<Entry extends Named>(entries: readonly Entry[], typed: string, limit: number): Entry[] {
  const query = typed.trim().toLowerCase();
  const ranked: { readonly entry: Entry; readonly rank: number }[] = [];
  for (const entry of entries) {
    const rank = rankOf(entry, query);
    if (rank !== null) ranked.push({ entry, rank });
  }
  ranked.sort(
    (a, b) => a.rank - b.rank || a.entry.name.length - b.entry.name.length || (a.entry.path < b.entry.path ? -1 : 1),
  );
  return ranked.slice(0, limit).map(({ entry }) => entry);
}

function rankOf({ name, path }: Named, query: string): number | null {
  const lower = name.toLowerCase();
  if (lower === query) return 0;
  if (lower.startsWith(query)) return 1;
  const at = lower.indexOf(query);
  if (at > 0) return /[\s_-]/.test(lower.charAt(at - 1)) ? 2 : 3;
  if (path.toLowerCase().includes(query)) return 4;
  return hasInOrder(lower, query) ? 5 : null;
}

/** Whether a text has the characters of another one, in their order. */
function hasInOrder(text: string, query: string): boolean {
  let at = 0;
  for (const char of query) {
    at = text.indexOf(char, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
