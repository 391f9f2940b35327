import { Heap, type HeapEntry } from './heap.ts';

interface QueuedItem<Item> {
  readonly item: Item;
  readonly weight: number;
  /** Whether it counts against the limits. */
  readonly counted: boolean;
}

/** Decides the order of lines. */
interface Rank {
  /** Cost of the tenant's work, counted from the level of the others when it arrived. */
  spent: number;
  /** Number of the line among all that began to wait. */
  arrival: number;
}

interface Line<Item> extends Rank, HeapEntry {
  readonly tenant: string;
  readonly waiting: QueuedItem<Item>[];
  /** Number and weight of the items that count against the limits. */
  counted: number;
  weight: number;
  /** Number of items that were returned and whose cost is not known yet. */
  serving: number;
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
 * tenant starts at the level of the busy ones, so that being idle gains nothing. Callers may choose tenants freely: each
 * turn takes O(log n), and a tenant without items is forgotten as soon as the others have cost as much.
 */
export class FairQueue<Item> {
  readonly #limits: Partial<QueueLimits>;
  readonly #lines = new Map<string, Line<Item>>();
  readonly #ready: Heap<Line<Item>>;
  /** Lines without items whose tenant has cost more than the level. */
  readonly #idle: Heap<Line<Item>>;
  #arrivals = 0;
  #length = 0;
  #counted = 0;
  #weight = 0;
  /** The cost counted for the tenant that was served last, at that time. */
  #level = 0;

  /**
   * @param limits none by default.
   * @param isBefore compares two lines; tests count the calls.
   */
  constructor(limits: Partial<QueueLimits> = {}, isBefore: (one: Rank, other: Rank) => boolean = costsLess) {
    this.#limits = limits;
    this.#ready = new Heap<Line<Item>>(isBefore);
    this.#idle = new Heap<Line<Item>>(isBefore);
  }

  /** Number of tenants that are remembered. */
  get tenants(): number {
    return this.#lines.size;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds an item; false if the queue or the tenant's share is full. @param spent its cost since its last turn. */
  push(tenant: string, item: Item, weight: number, spent = 0): boolean {
    const line = this.#lines.get(tenant);
    const { items = Infinity, weight: most = Infinity } = this.#limits;
    const { itemsPerTenant = Infinity, weightPerTenant = Infinity } = this.#limits;
    const { counted = 0, weight: waiting = 0 } = line ?? {};
    // A single item always fits into its tenant's share, however heavy it is.
    const overShare = counted >= itemsPerTenant || (counted > 0 && waiting + weight > weightPerTenant);
    const overAll = this.#counted >= items || (this.#counted > 0 && this.#weight + weight > most);
    if (overShare || overAll) return false;
    this.#add(tenant, { item, weight, counted: true }, spent);
    return true;
  }

  /** Adds an item that does not count against the limits, because something else bounds how many of its kind wait. */
  pushUncounted(tenant: string, item: Item): void {
    this.#add(tenant, { item, weight: 0, counted: false }, 0);
  }

  /** Returns the next item without removing it; undefined when there is none. `may` decides which items can go now. */
  peek(may?: MayGo<Item>): { readonly tenant: string; readonly item: Item } | undefined {
    const line = this.#next(may);
    const first = line?.waiting[0];
    return line === undefined || first === undefined ? undefined : { tenant: line.tenant, item: first.item };
  }

  /** Removes and returns the next item that may go; undefined without one. Call `charge` when its cost is known. */
  shift(may?: MayGo<Item>): { readonly tenant: string; readonly item: Item } | undefined {
    const line = this.#next(may);
    const first = line?.waiting.shift();
    if (line === undefined || first === undefined) return undefined;
    line.serving += 1;
    this.#level = line.spent;
    this.#removed(line, first);
    return { tenant: line.tenant, item: first.item };
  }

  /** Removes an item before its turn. Returns false when it is not queued. */
  remove(tenant: string, item: Item): boolean {
    const line = this.#lines.get(tenant);
    const at = line?.waiting.findIndex((waiting) => waiting.item === item) ?? -1;
    const [found] = at < 0 ? [] : (line?.waiting.splice(at, 1) ?? []);
    if (line === undefined || found === undefined) return false;
    this.#removed(line, found);
    return true;
  }

  /** Adds the cost of an item that was returned, in any unit that the caller uses consistently. */
  charge(tenant: string, cost: number): void {
    const line = this.#lines.get(tenant);
    if (line === undefined) return;
    const wasIdle = isIdle(line);
    line.spent += cost;
    // An item that is carried out again is charged twice.
    line.serving = Math.max(line.serving - 1, 0);
    if (line.waiting.length > 0) this.#ready.reorder(line);
    else if (wasIdle) this.#idle.reorder(line);
    else if (isIdle(line)) this.#idle.add(line);
    this.#forget();
  }

  clear(): Item[] {
    const items = [...this.#lines.values()].flatMap(({ waiting }) => waiting.map(({ item }) => item));
    for (const kept of [this.#lines, this.#ready, this.#idle]) kept.clear();
    this.#length = 0;
    this.#counted = 0;
    this.#weight = 0;
    return items;
  }

  #next(may: MayGo<Item> | undefined): Line<Item> | undefined {
    if (may === undefined) return this.#ready.first;
    return this.#ready.find(({ tenant, waiting: [first] }) => first !== undefined && may(tenant, first.item));
  }

  #add(tenant: string, waiting: QueuedItem<Item>, spent: number): void {
    const line = this.#lines.get(tenant) ?? this.#begin(tenant);
    const wasEmpty = line.waiting.length === 0;
    if (wasEmpty) {
      if (isIdle(line)) this.#idle.remove(line);
      line.spent = Math.max(line.spent, this.#level);
      line.arrival = this.#arrivals++;
    }
    line.spent += spent;
    line.waiting.push(waiting);
    if (wasEmpty) this.#ready.add(line);
    else if (spent > 0) this.#ready.reorder(line);
    this.#count(line, waiting, 1);
  }

  #begin(tenant: string): Line<Item> {
    const line = { tenant, waiting: [], counted: 0, weight: 0, spent: this.#level, arrival: 0, serving: 0, place: 0 };
    this.#lines.set(tenant, line);
    this.#idle.add(line);
    return line;
  }

  #removed(line: Line<Item>, removed: QueuedItem<Item>): void {
    this.#count(line, removed, -1);
    if (line.waiting.length > 0) return;
    this.#ready.remove(line);
    if (isIdle(line)) this.#idle.add(line);
    this.#forget();
  }

  #count(line: Line<Item>, { weight, counted }: QueuedItem<Item>, by: 1 | -1): void {
    this.#length += by;
    if (!counted) return;
    line.counted += by;
    line.weight += by * weight;
    this.#counted += by;
    this.#weight += by * weight;
  }

  /** Deletes idle lines: all of them when nobody waits, because then no tenant has delayed another. */
  #forget(): void {
    const isUnused = this.#idle.size === this.#lines.size;
    for (let line = this.#idle.first; line !== undefined; line = this.#idle.first) {
      if (!isUnused && line.spent > this.#level) return;
      this.#idle.remove(line);
      this.#lines.delete(line.tenant);
    }
    if (isUnused) this.#level = 0;
  }
}

function isIdle({ waiting, serving }: Line<unknown>): boolean {
  return waiting.length === 0 && serving === 0;
}

function costsLess(one: Rank, other: Rank): boolean {
  return one.spent < other.spent || (one.spent === other.spent && one.arrival < other.arrival);
}
