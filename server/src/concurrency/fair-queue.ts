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
  /** What the tenant has cost, starting from the level of the others when it arrived. */
  spent: number;
}

/** Decides whether a tenant's first item may go now; the tenant keeps its turn otherwise. */
export type MayGo<Item> = (tenant: string, item: Item) => boolean;

/** Limits of waiting items, by number and by weight (for example bytes). */
export interface QueueLimits {
  readonly items: number;
  readonly weight: number;
  readonly itemsPerTenant: number;
  readonly weightPerTenant: number;
}

/**
 * A bounded queue shared fairly between tenants: next is the first item of the tenant that has cost least so far. A new
 * tenant starts at the level of the busy ones, so that being idle gains nothing.
 */
export class FairQueue<Item> {
  readonly #limits: Partial<QueueLimits>;
  readonly #lines = new Map<string, Line<Item>>();
  #length = 0;
  #counted = 0;
  #weight = 0;
  /** What the tenant served last had cost at that time. */
  #level = 0;

  /** @param limits none by default. */
  constructor(limits: Partial<QueueLimits> = {}) {
    this.#limits = limits;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds an item. @returns false, without adding it, when the tenant's share or the whole queue is full. */
  push(tenant: string, item: Item, weight: number): boolean {
    const line = this.#lineOf(tenant);
    const { items = Infinity, weight: most = Infinity } = this.#limits;
    const { itemsPerTenant = Infinity, weightPerTenant = Infinity } = this.#limits;
    // A single item always fits into its tenant's share, however heavy it is.
    const overShare = line.counted >= itemsPerTenant || (line.counted > 0 && line.weight + weight > weightPerTenant);
    const overAll = this.#counted >= items || (this.#counted > 0 && this.#weight + weight > most);
    if (overShare || overAll) return false;
    this.#add(tenant, line, { item, weight, counted: true });
    return true;
  }

  /** Adds an item that does not count against the limits, because something else bounds how many of its kind wait. */
  pushUncounted(tenant: string, item: Item): void {
    this.#add(tenant, this.#lineOf(tenant), { item, weight: 0, counted: false });
  }

  /** Returns the next item without removing it; undefined when there is none. `may` decides which items can go now. */
  peek(may: MayGo<Item> = anyone): { readonly tenant: string; readonly item: Item } | undefined {
    const next = this.#cheapest(may);
    const first = next?.[1].waiting[0];
    return next === undefined || first === undefined ? undefined : { tenant: next[0], item: first.item };
  }

  /** Removes and returns the next item; undefined when there is none. `may` decides which items can go now. */
  shift(may: MayGo<Item> = anyone): { readonly tenant: string; readonly item: Item } | undefined {
    const next = this.#cheapest(may);
    if (next === undefined) return undefined;
    const [tenant, line] = next;
    const first = line.waiting.shift();
    if (first === undefined) return undefined;
    this.#count(line, first, -1);
    this.#level = line.spent;
    return { tenant, item: first.item };
  }

  /** Removes an item before its turn. @returns false when it is not queued. */
  remove(tenant: string, item: Item): boolean {
    const line = this.#lines.get(tenant);
    const at = line?.waiting.findIndex((waiting) => waiting.item === item) ?? -1;
    const [found] = at < 0 ? [] : (line?.waiting.splice(at, 1) ?? []);
    if (line === undefined || found === undefined) return false;
    this.#count(line, found, -1);
    return true;
  }

  /** Adds the cost of a tenant's item, in any unit that the caller uses consistently. */
  charge(tenant: string, cost: number): void {
    const line = this.#lines.get(tenant);
    if (line !== undefined) line.spent += cost;
    if (this.#length === 0) this.#forget();
  }

  clear(): Item[] {
    const items = [...this.#lines.values()].flatMap(({ waiting }) => waiting.map(({ item }) => item));
    this.#lines.clear();
    this.#length = 0;
    this.#counted = 0;
    this.#weight = 0;
    return items;
  }

  #lineOf(tenant: string): Line<Item> {
    return this.#lines.get(tenant) ?? { waiting: [], counted: 0, weight: 0, spent: this.#level };
  }

  #add(tenant: string, line: Line<Item>, waiting: Waiting<Item>): void {
    if (line.waiting.length === 0) line.spent = Math.max(line.spent, this.#level);
    line.waiting.push(waiting);
    this.#lines.set(tenant, line);
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
      const [tenant, line] = entry;
      const [first] = line.waiting;
      if (first === undefined || (best !== undefined && line.spent >= best[1].spent)) continue;
      if (may(tenant, first.item)) best = entry;
    }
    return best;
  }

  /** Resets the costs when the queue is empty, because then no tenant has delayed another. */
  #forget(): void {
    this.#lines.clear();
    this.#level = 0;
  }
}

const anyone = () => true;
