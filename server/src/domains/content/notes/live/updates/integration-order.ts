import type { ScannedItem } from './update-validator.ts';

/**
 * Returns the items of an update in an order in which each follows the items to which it refers, and a client's items
 * follow each other by their clocks. Null when there is no such order, because items of several clients refer to each
 * other or to missing ones: Yjs would throw or wait forever. Linear in the items.
 *
 * @param knownOf returns the clock up to which the document contains a client's edits.
 */
export function integrationOrder<Struct extends ScannedItem>(
  items: Iterable<Struct>,
  knownOf: (client: number) => number,
): Struct[] | null {
  const lines = new Map<number, Line<Struct>>();
  for (const item of items) {
    const line = lines.get(item.client) ?? { items: [], at: 0, known: knownOf(item.client), open: false };
    line.items.push(item);
    lines.set(item.client, line);
  }
  const order: Struct[] = [];
  for (const line of lines.values()) if (!takeLine(line, lines, knownOf, order)) return null;
  return order;
}

/** The items of one client; those before `at` are in the order. */
interface Line<Struct> {
  readonly items: Struct[];
  at: number;
  /** The clock up to which the client's items are in the document or in the order. */
  known: number;
  /** Whether its next item waits for another client. */
  open: boolean;
}

/** Adds all items of a client to the order, after the items of other clients that they depend on. */
function takeLine<Struct extends ScannedItem>(
  first: Line<Struct>,
  lines: ReadonlyMap<number, Line<Struct>>,
  knownOf: (client: number) => number,
  order: Struct[],
): boolean {
  const stack = [first];
  for (let line = stack.at(-1); line !== undefined; line = stack.at(-1)) {
    line.open = true;
    const item = line.items[line.at];
    if (item === undefined) {
      line.open = false;
      stack.pop();
      continue;
    }
    const missing = missingOf(item, lines, knownOf);
    if (missing === null) {
      line.at += 1;
      line.known = Math.max(line.known, item.clock + item.length);
      order.push(item);
      // A line that waits for this client may continue. It may need another client next, and this one's later items may
      // need that line's next item, so no more items are added here than it waits for.
      if (stack.length > 1 && !waitsFor(item.client, stack.at(-2), lines, knownOf)) {
        line.open = false;
        stack.pop();
      }
      continue;
    }
    const other = lines.get(missing);
    if (other === undefined || other.open || other.at >= other.items.length) return false;
    stack.push(other);
  }
  return true;
}

function waitsFor<Struct extends ScannedItem>(
  client: number,
  line: Line<Struct> | undefined,
  lines: ReadonlyMap<number, Line<Struct>>,
  knownOf: (client: number) => number,
): boolean {
  const item = line?.items[line.at];
  return item !== undefined && missingOf(item, lines, knownOf) === client;
}

/** Returns the client whose items must come before an item; null when none is missing. */
function missingOf<Struct extends ScannedItem>(
  { client, origin, rightOrigin }: Struct,
  lines: ReadonlyMap<number, Line<Struct>>,
  knownOf: (client: number) => number,
): number | null {
  for (const reference of [origin, rightOrigin]) {
    if (reference === null || reference.client === client) continue;
    const known = lines.get(reference.client)?.known ?? knownOf(reference.client);
    if (reference.clock >= known) return reference.client;
  }
  return null;
}
