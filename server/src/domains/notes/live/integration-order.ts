/** What Yjs waits for before it takes an item into a document. */
export interface Dependent {
  readonly client: number;
  readonly clock: number;
  readonly length: number;
  readonly origin: { readonly client: number; readonly clock: number } | null;
  readonly rightOrigin: { readonly client: number; readonly clock: number } | null;
}

/**
 * The items of an update in an order in which each comes after those it refers to, the items of a client in the order of
 * their clocks; null when there is no such order, because items of several clients wait for each other or for what is
 * nowhere: Yjs would throw or wait for ever. Linear in the items.
 *
 * @param stateVectorMap the clock up to which the document knows a client.
 */
export function integrationOrder<Struct extends Dependent>(
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

/** The items of one client: those before `at` are in the order. */
interface Line<Struct> {
  readonly items: Struct[];
  at: number;
  /** What is known of the client, with those that are in the order. */
  known: number;
  /** Under way: something of it waits for another client. */
  open: boolean;
}

/** Takes all items of a client, and those of others that they wait for. */
function takeLine<Struct extends Dependent>(
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
      // need that line's next item, so no more is taken here than it asks for.
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

function waitsFor<Struct extends Dependent>(
  client: number,
  line: Line<Struct> | undefined,
  lines: ReadonlyMap<number, Line<Struct>>,
  knownOf: (client: number) => number,
): boolean {
  const item = line?.items[line.at];
  return item !== undefined && missingOf(item, lines, knownOf) === client;
}

/** The client of which an item needs more than is there; null when nothing is missing. */
function missingOf<Struct extends Dependent>(
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
