interface Waiting<Item> {
  readonly item: Item;
  readonly weight: number;
  /** Whether it counts against the limits. */
  readonly counted: boolean;
}

interface Line<Item> {
  readonly waiting: Waiting<Item>[];
  /** Items that count against the limits, and their weight. */
  counted: number;
  weight: number;
  /** What the owner has cost, counted from where the others stood when it came. */
  spent: number;
}

/** Whether an owner's first item may go now; the owner's turn is kept meanwhile. */
export type MayGo<Item> = (owner: string, item: Item) => boolean;

/** How much may wait, counted in items and in their weight (bytes, say). */
export interface QueueLimits {
  readonly items: number;
  readonly weight: number;
  readonly itemsPerOwner: number;
  readonly weightPerOwner: number;
}

/**
 * A bounded queue that owners share fairly: next is the first item of the owner that has cost least so far. An owner that
 * comes anew begins where the busy ones stand, so that idling earns nothing.
 */
export class FairQueue<Item> {
  readonly #limits: QueueLimits;
  readonly #lines = new Map<string, Line<Item>>();
  #length = 0;
  #counted = 0;
  #weight = 0;
  /** What the owner served last had cost by then. */
  #level = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds an item. @returns false, without adding it, when the owner's share or the whole queue is full. */
  push(owner: string, item: Item, weight: number): boolean {
    const line = this.#lineOf(owner);
    const limits = this.#limits;
    // One item always fits its owner's share, however heavy it is.
    const overShare =
      line.counted >= limits.itemsPerOwner || (line.counted > 0 && line.weight + weight > limits.weightPerOwner);
    const overAll = this.#counted >= limits.items || (this.#counted > 0 && this.#weight + weight > limits.weight);
    if (overShare || overAll) return false;
    this.#add(owner, line, { item, weight, counted: true });
    return true;
  }

  /** Adds an item that does not count against the limits, because something else bounds how many of its kind wait. */
  pushUncounted(owner: string, item: Item): void {
    this.#add(owner, this.#lineOf(owner), { item, weight: 0, counted: false });
  }

  /** The next item, which stays in; undefined when nothing waits. `may` says whose turn it can be. */
  peek(may: MayGo<Item> = anyone): { readonly owner: string; readonly item: Item } | undefined {
    const next = this.#cheapest(may);
    const first = next?.[1].waiting[0];
    return next === undefined || first === undefined ? undefined : { owner: next[0], item: first.item };
  }

  /** Takes the next item out; undefined when nothing waits. `may` says whose turn it can be. */
  shift(may: MayGo<Item> = anyone): { readonly owner: string; readonly item: Item } | undefined {
    const next = this.#cheapest(may);
    if (next === undefined) return undefined;
    const [owner, line] = next;
    const first = line.waiting.shift();
    if (first === undefined) return undefined;
    this.#count(line, first, -1);
    this.#level = line.spent;
    return { owner, item: first.item };
  }

  /** Takes an item out before its turn. @returns false when it does not wait. */
  remove(owner: string, item: Item): boolean {
    const line = this.#lines.get(owner);
    const at = line?.waiting.findIndex((waiting) => waiting.item === item) ?? -1;
    const [found] = at < 0 ? [] : (line?.waiting.splice(at, 1) ?? []);
    if (line === undefined || found === undefined) return false;
    this.#count(line, found, -1);
    return true;
  }

  /** Counts what an owner's item cost, in whatever unit the caller measures. */
  charge(owner: string, cost: number): void {
    const line = this.#lines.get(owner);
    if (line !== undefined) line.spent += cost;
    if (this.#length === 0) this.#forget();
  }

  /** Takes everything out. */
  clear(): Item[] {
    const items = [...this.#lines.values()].flatMap(({ waiting }) => waiting.map(({ item }) => item));
    this.#lines.clear();
    this.#length = 0;
    this.#counted = 0;
    this.#weight = 0;
    return items;
  }

  #lineOf(owner: string): Line<Item> {
    return this.#lines.get(owner) ?? { waiting: [], counted: 0, weight: 0, spent: this.#level };
  }

  #add(owner: string, line: Line<Item>, waiting: Waiting<Item>): void {
    if (line.waiting.length === 0) line.spent = Math.max(line.spent, this.#level);
    line.waiting.push(waiting);
    this.#lines.set(owner, line);
    this.#count(line, waiting, 1);
  }

  #count(line: Line<Item>, { weight, counted }: Waiting<Item>, by: 1 | -1): void {
    this.#length += by;
    if (!counted) return;
    line.counted += by;
    line.weight += by * weight;
    this.#counted += by;
    this.#weight += by * weight;
  }

  #cheapest(may: MayGo<Item>): [string, Line<Item>] | undefined {
    let best: [string, Line<Item>] | undefined;
    for (const entry of this.#lines) {
      const [owner, line] = entry;
      const [first] = line.waiting;
      if (first === undefined || (best !== undefined && line.spent >= best[1].spent)) continue;
      if (may(owner, first.item)) best = entry;
    }
    return best;
  }

  /** Nobody waits: whoever is ahead of the others by now has held up nobody. */
  #forget(): void {
    this.#lines.clear();
    this.#level = 0;
  }
}

const anyone = () => true;
