/** Merges lists of a frontmatter item by item: what one side removed stays removed, what one side added is there once. */

/** A list as written: `key: [a, b]`, or a line `- a` for each item. */
export interface WrittenList {
  /** Text before the items: the key, on a line of its own in a list of lines. */
  readonly head: string;
  readonly items: readonly string[];
  /** Text before each item of a list of lines; null for a list in brackets. */
  readonly bullet: string | null;
  readonly newline: string;
}

/** Reads the list of a property, with items of one line each; null for another value. */
export function itemsOf(entry: string): WrittenList | null {
  const newline = entry.includes('\r\n') ? '\r\n' : '\n';
  const colon = colonOf(entry) + 1;
  const value = entry.slice(colon).trim();
  if (value.startsWith('[') && value.endsWith(']') && !value.includes('\n')) {
    const items = splitItems(value.slice(1, -1));
    return items === null ? null : { head: `${entry.slice(0, colon)} `, items, bullet: null, newline };
  }
  const [first = '', ...rows] = entry.split('\n').filter((line) => line.trim() !== '');
  const bullet = /^[ \t]*- /.exec(rows[0] ?? '')?.[0] ?? null;
  if (bullet === null || first.trimEnd().length !== colon || !rows.every((line) => line.startsWith(bullet)))
    return null;
  return {
    head: first.trimEnd() + newline,
    items: rows.map((line) => line.slice(bullet.length).trim()),
    bullet,
    newline,
  };
}

/** Returns the offset of the first colon that ends a key. */
export function colonOf(line: string): number {
  for (let at = line.indexOf(':'); at !== -1; at = line.indexOf(':', at + 1)) {
    if (at + 1 === line.length || /\s/.test(line.charAt(at + 1))) return at;
  }
  return -1;
}

/** Splits the inside of brackets at its commas; null where it has brackets or quotes that a comma could be in. */
function splitItems(inner: string): string[] | null {
  if (inner.trim() === '') return [];
  const items: string[] = [];
  let [from, quote, depth] = [0, '', 0];
  for (let at = 0; at <= inner.length; at++) {
    const sign = inner.charAt(at);
    if (quote !== '') {
      if (sign === quote) quote = '';
    } else if ((sign === '"' || sign === "'") && inner.slice(from, at).trim() === '') quote = sign;
    else if (sign === '[' || sign === '{') depth++;
    else if (sign === ']' || sign === '}') depth--;
    else if (sign === '' || (sign === ',' && depth === 0)) {
      items.push(inner.slice(from, at).trim());
      from = at + 1;
    }
  }
  if (quote !== '' || depth !== 0) return null;
  return items.filter((item) => item !== '');
}

/** Two items are the same whatever quotes they are in. */
function sameness(item: string): string {
  return /^(["']).*\1$/.test(item) ? item.slice(1, -1) : item;
}

/** @param stored the entry of the stored side, and what it reads as. */
export function mergeLists(base: string | null, stored: string, theirs: WrittenList, ours: WrittenList): string {
  const before = new Set(itemsBefore(base).map(sameness));
  const [kept, known] = [new Set(ours.items.map(sameness)), new Set(theirs.items.map(sameness))];
  const items = theirs.items.filter((item) => kept.has(sameness(item)) || !before.has(sameness(item)));
  const places = new Map(items.map((item, at) => [sameness(item), at]));
  const added = Array.from({ length: items.length + 1 }, (): string[] => []);
  let at = 0;
  for (const item of ours.items) {
    const place = places.get(sameness(item));
    if (place !== undefined) at = place + 1;
    else if (!known.has(sameness(item)) && !before.has(sameness(item))) added[at]?.push(item);
  }
  const merged = added.flatMap((own, index) => [...own, ...items.slice(index, index + 1)]);
  if (merged.length === theirs.items.length && items.length === merged.length) return stored;
  return written(merged, merged.length === 0 || theirs.items.length > 0 ? theirs : ours);
}

/** Returns the items of a list, or the one value of a property that was none. */
function itemsBefore(entry: string | null): readonly string[] {
  if (entry === null) return [];
  const list = itemsOf(entry);
  if (list !== null) return list.items;
  const value = entry.slice(entry.indexOf(':') + 1).trim();
  return value === '' ? [] : [value];
}

function written(items: readonly string[], { head, bullet, newline }: WrittenList): string {
  if (bullet === null) return `${head}[${items.join(', ')}]${newline}`;
  if (items.length === 0) return `${head.trimEnd()} []${newline}`;
  return head + items.map((item) => `${bullet}${item}${newline}`).join('');
}
