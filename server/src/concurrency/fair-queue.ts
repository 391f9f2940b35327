interface Waiting<Item> {
  readonly item: Item;
  readonly weight: number;
  /** Whether it counts against the limits. */
  readonly counted: boolean;
}

interface Line<Item> {
  readonly waiting: Waiting<Item>[];
  /** Number and weight of the items that count against the limits. */
  counted: number;
  weight: number;
  /** What the owner has cost, starting from the level of the others when it arrived. */
  spent: number;
}

/** Decides whether an owner's first item may go now; the owner keeps its turn otherwise. */
export type MayGo<Item> = (owner: string, item: Item) => boolean;

/** Limits of waiting items, by number and by weight (for example bytes). */
export interface QueueLimits {
  readonly items: number;
  readonly weight: number;
  readonly itemsPerOwner: number;
  readonly weightPerOwner: number;
}

/**
 * A bounded queue shared fairly between owners: next is the first item of the owner that has cost least so far. A new
 * owner starts at the level of the busy ones, so that being idle gains nothing.
 */
export class FairQueue<Item> {
  readonly #limits: QueueLimits;
  readonly #lines = new Map<string, Line<Item>>();
  #length = 0;
  #counted = 0;
  #weight = 0;
  /** What the owner served last had cost at that time. */
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
    // A single item always fits into its owner's share, however heavy it is.
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

  /** Returns the next item without removing it; undefined when there is none. `may` decides which items can go now. */
  peek(may: MayGo<Item> = anyone): { readonly owner: string; readonly item: Item } | undefined {
    const next = this.#cheapest(may);
    const first = next?.[1].waiting[0];
    return next === undefined || first === undefined ? undefined : { owner: next[0], item: first.item };
  }

  /** Removes and returns the next item; undefined when there is none. `may` decides which items can go now. */
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

  /** Removes an item before its turn. @returns false when it is not queued. */
  remove(owner: string, item: Item): boolean {
    const line = this.#lines.get(owner);
    const at = line?.waiting.findIndex((waiting) => waiting.item === item) ?? -1;
    const [found] = at < 0 ? [] : (line?.waiting.splice(at, 1) ?? []);
    if (line === undefined || found === undefined) return false;
    this.#count(line, found, -1);
    return true;
  }

  /** Adds the cost of an owner's item, in any unit that the caller uses consistently. */
  charge(owner: string, cost: number): void {
    const line = this.#lines.get(owner);
    if (line !== undefined) line.spent += cost;
    if (this.#length === 0) this.#forget();
  }

  /** Removes and returns all items. */
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

  /** Resets the costs when the queue is empty, because then no owner has delayed another. */
  #forget(): void {
    this.#lines.clear();
    this.#level = 0;
  }
}

const anyone = () => true;
