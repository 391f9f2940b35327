/** The selected rows, and the one from which a range is extended. */
export interface Selection {
  readonly keys: ReadonlySet<string>;
  readonly anchor: string | null;
}

export const NOTHING_SELECTED: Selection = { keys: new Set(), anchor: null };

export function selectOnly(key: string): Selection {
  return { keys: new Set([key]), anchor: key };
}

/** Adds a row to the selection or takes it out; it becomes the anchor. */
export function toggleSelected({ keys }: Selection, key: string): Selection {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return { keys: next, anchor: key };
}

/** Selects the rows from the anchor to a row, both included. */
export function selectRange(order: readonly string[], { anchor }: Selection, key: string): Selection {
  const [from, to] = [order.indexOf(anchor ?? key), order.indexOf(key)];
  if (from < 0 || to < 0) return selectOnly(key);
  return { keys: new Set(order.slice(Math.min(from, to), Math.max(from, to) + 1)), anchor: anchor ?? key };
}

/** Returns the keys an action on a row applies to: the selection if the row is in it, else only the row. */
export function actedOn({ keys }: Selection, key: string): string[] {
  return keys.has(key) ? [...keys] : [key];
}
