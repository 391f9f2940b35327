import type { LinksLeft } from '@notevault/protocol/links.ts';
import { ObservableValue } from '../../platform/observable.ts';
import { isWaiting } from './entry-facts.ts';
import { needs, nextOrder, type Operation, type OutboxEntry, type Problem, withOperation } from './operation.ts';
import { delayOf, isTransient, type Outcome } from './replay.ts';

/** Store for the outbox entries of an account. */
export interface OutboxStore {
  /** Whether confirmed writes survive the tab. */
  readonly isDurable: boolean;
  /** Replaces the entries by what a function makes of them, as one step over all tabs; resolves to the new ones. */
  change(next: (entries: readonly OutboxEntry[]) => readonly OutboxEntry[]): Promise<readonly OutboxEntry[]>;
}

export interface OutboxOptions {
  readonly store: OutboxStore;
  /** Takes over where the store takes nothing, as when the device is full; its entries end with the tab. */
  readonly spare: OutboxStore;
  /** Names entries. */
  newId(): string;
  now(): number;
  /** Replays an entry; throws transient errors. `record` stores the operation's progress between its requests. */
  send(entry: OutboxEntry, isFresh: boolean, record: (operation: Operation) => Promise<void>): Promise<Outcome>;
  /** Runs a function that does an entry beside the others; `isHeld` tells all tabs so until it ends, or its tab does. */
  hold<T>(id: string, run: () => Promise<T>): Promise<T>;
  isHeld(id: string): Promise<boolean>;
  /** Runs one function at a time over all tabs. */
  exclusively<T>(run: () => Promise<T>): Promise<T>;
  /** Whether requests are still sent as the account that owns these entries. */
  isSameAccount(): Promise<boolean>;
  /**
   * Returns the state of a draft whose note the server has: `left` if it was closed, and is removed; `changed` if it
   * was edited meanwhile; `open` if a tab may still have it open.
   */
  stateOfDraft(entry: OutboxEntry): Promise<'left' | 'changed' | 'open'>;
  /** Called after the entries changed, for other tabs. */
  announce(): void;
  /** Called when the server has done an operation, with the id of an entry created here. */
  done(entry: OutboxEntry, id: string | null): void;
  /** Calls a function once after a while; returns a function that prevents it. */
  later(call: () => void): () => void;
}

/** How something that was just done went: `waiting` means that the server could not be reached, or why it cannot do it yet. */
export type Result =
  | { readonly type: 'done'; readonly id?: string | undefined; readonly linksLeft?: readonly LinksLeft[] }
  | { readonly type: 'waiting'; readonly delay?: Problem }
  | { readonly type: 'problem'; readonly problem: Problem };

/** Number of transient failures after which an entry is shown and no longer blocks the others. */
const TRIES = 5;

export interface OutboxState {
  readonly entries: readonly OutboxEntry[];
  readonly isSending: boolean;
}

/**
 * Queue of operations that wait for the server, in order. Each is stored before it is sent, so that killing the tab or
 * the server loses none; the server recognises a repeated request.
 */
export class Outbox implements Disposable {
  readonly #options: OutboxOptions;
  readonly #state = new ObservableValue<OutboxState>({ entries: [], isSending: false });
  readonly #results = new Map<string, (result: Result) => void>();
  readonly #tries = new Map<string, number>();
  /** Asked for while the server answered, and before anything else waited. */
  readonly #fresh = new Set<string>();
  /** How often this tab changed the entries. */
  #changes = 0;
  #isConnected = false;
  #isBusy = false;
  #isRequested = false;
  #isDisposed = false;
  #cancelLater: () => void = () => undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get state(): Pick<ObservableValue<OutboxState>, 'get' | 'subscribe'> {
    return this.#state;
  }

  /** Whether something waits that would be lost with the tab. */
  async hasUnkept(): Promise<boolean> {
    const { store, spare } = this.#options;
    const inTab = store.isDurable ? await spare.change((entries) => entries) : this.#state.get().entries;
    return inTab.some((entry) => isWaiting(entry) || entry.isBegun === true);
  }

  /** Tells whether the server is reached. */
  setConnected(isConnected: boolean): void {
    const isNew = isConnected && !this.#isConnected;
    this.#isConnected = isConnected;
    if (isNew) this.check();
    else if (!isConnected) this.#resolveAll({ type: 'waiting' });
  }

  /** Resolves when the pending entries are loaded. */
  async load(): Promise<void> {
    await this.#read();
  }

  /** Stores an operation and starts it; resolves when it is done, refused, or has to wait. */
  async run(vault: string, operation: Operation, id = this.#options.newId()): Promise<Result> {
    const isAlone = this.#state.get().entries.every(({ doneAt }) => doneAt !== null);
    const result = this.#resultOf(id);
    if (isAlone && this.#isConnected) this.#fresh.add(id);
    const added = { id, vault, operation };
    const entries = await this.#change((before, isOwn) => withOperation(before, added, isOwn));
    // It was put into another one, or there is nothing left to do.
    if (!entries.some((entry) => entry.id === id))
      this.#results.get(id)?.({ type: this.#isConnected ? 'done' : 'waiting' });
    this.check();
    return result;
  }

  /**
   * Stores an operation and sends it with a function, outside the queue. After a transient error, or if the tab closes,
   * the queue takes it over; any other error discards it and is thrown.
   * @param send resolves to the id that the server gave.
   */
  async runWith(vault: string, operation: Operation, id: string, send: () => Promise<string>): Promise<Result> {
    // Pending operations on that path, such as a folder that moves there, come first.
    const isLater = (one: OutboxEntry) => one.vault === vault && one.doneAt === null && needs(operation, one.operation);
    if (this.#state.get().entries.some(isLater)) return this.run(vault, operation, id);
    const began = { id, vault, operation, problem: null, isTried: true, isForced: false, doneAt: null, isBegun: true };
    const given = await this.#options.hold(id, async () => {
      await this.#change((before) => [...before, { ...began, order: nextOrder(before) }]);
      try {
        return await send();
      } catch (error) {
        if (isTransient(error)) return null;
        await this.discard(id);
        throw error;
      }
    });
    if (given === null) {
      const result = this.#resultOf(id);
      await this.retry(id, { isBegun: false });
      return result;
    }
    const own = ownId(operation);
    await this.#change((entries) =>
      entries.filter((one) => one.id !== id).map((one) => (own === undefined ? one : renamed(one, own, given))),
    );
    this.check();
    return { type: 'done', id: given };
  }

  /** Reloads the entries and replays the pending ones. Call when they may have changed. */
  check(): void {
    this.#isRequested = true;
    if (!this.#isBusy) void this.#work();
  }

  /** Retries a failed entry, with changes such as another path. */
  async retry(
    id: string,
    change: Partial<Pick<OutboxEntry, 'isForced' | 'operation' | 'isBegun'>> = {},
  ): Promise<void> {
    this.#tries.delete(id);
    await this.#change((entries) => entries.map((one) => (one.id === id ? { ...one, problem: null, ...change } : one)));
    this.check();
  }

  /** Changes a pending operation. */
  async amend(id: string, change: (operation: Operation) => Operation): Promise<void> {
    await this.#change((entries) =>
      entries.map((one) => (one.id === id ? { ...one, operation: change(one.operation) } : one)),
    );
  }

  /** Gives an entry up. */
  async discard(id: string): Promise<void> {
    await this.#change((entries) => entries.filter((one) => one.id !== id));
    this.check();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#isConnected = false;
    this.#cancelLater();
    this.#resolveAll({ type: 'waiting' });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#isRequested && !this.#isDisposed) {
      this.#isRequested = false;
      this.#cancelLater();
      await this.#read();
      if (!this.#isConnected) {
        this.#resolveAll({ type: 'waiting' });
        continue;
      }
      if (!this.#hasWork()) continue;
      await this.#options.exclusively(() => this.#drain()).catch(() => undefined);
      this.#resolveAll({ type: 'waiting' });
      if (this.#hasWork()) this.#cancelLater = this.#options.later(() => this.check());
    }
    this.#isBusy = false;
  }

  #hasWork(): boolean {
    return this.#state.get().entries.some(({ problem }) => problem === null);
  }

  /** Does one entry after another; stops where the server does not answer. */
  async #drain(): Promise<void> {
    if (!(await this.#options.isSameAccount())) return;
    const held: OutboxEntry[] = [];
    const seen = new Set<string>();
    for (;;) {
      if (this.#isDisposed || !this.#isConnected) return;
      // Another tab may have done something while this one waited for its turn.
      const entries = await this.#read(true);
      const entry = entries.find(({ id }) => !seen.has(id));
      if (entry === undefined) return void (await this.#read());
      seen.add(entry.id);
      if (entry.doneAt !== null) {
        if (!(await this.#tidy(entry))) return void (await this.#read());
      } else if (
        entry.problem !== null ||
        (entry.isBegun === true && (await this.#options.isHeld(entry.id))) ||
        held.some((one) => one.vault === entry.vault && needs(entry.operation, one.operation))
      ) {
        held.push(entry);
        this.#finish(entry.id, { type: 'waiting' });
      } else if (!(await this.#send(entry))) return void (await this.#read());
    }
  }

  /** Removes the entry of a note created here once its draft is closed; text typed into it meanwhile is sent. */
  async #tidy(entry: OutboxEntry): Promise<boolean> {
    const state = await this.#options.stateOfDraft(entry);
    if (state === 'left') await this.#change((entries) => entries.filter(({ id }) => id !== entry.id));
    return state === 'changed' ? this.#send(entry) : true;
  }

  /** Resolves to false if the server did not answer. */
  async #send({ id }: OutboxEntry): Promise<boolean> {
    try {
      const tried = (one: OutboxEntry) => (one.id === id ? { ...one, isTried: true, isBegun: false } : one);
      // As it is now: until then it may be moved or taken back here.
      const entry = (await this.#change((entries) => entries.map(tried))).find((one) => one.id === id);
      if (entry === undefined) return true;
      const outcome = await this.#options.send(entry, this.#fresh.delete(id), async (operation) => {
        await this.#change((entries) => entries.map((one) => (one.id === id ? { ...one, operation } : one)));
      });
      if (outcome.type === 'problem') await this.#refuse(id, outcome.problem);
      else await this.#done(entry, outcome);
    } catch (error) {
      if (!isTransient(error)) {
        await this.#refuse(id, { reason: 'refused', status: 0, body: { error: String(error) } });
        return true;
      }
      const delay = delayOf(error);
      if (delay !== undefined) {
        await this.#change((entries) => entries.map((one) => (one.id === id ? { ...one, delay } : one)));
        this.#finish(id, { type: 'waiting', delay });
        return false;
      }
      const tries = (this.#tries.get(id) ?? 0) + 1;
      this.#tries.set(id, tries);
      this.#finish(id, { type: 'waiting' });
      const status = error instanceof Error && 'status' in error ? Number(error.status) : 0;
      // A server that answers, and fails at this one again and again, may do the others.
      if (status < 500 || [502, 503, 504].includes(status) || tries < TRIES) return false;
      await this.#refuse(id, { reason: 'refused', status, body: {} });
    }
    return true;
  }

  async #refuse(id: string, problem: Problem): Promise<void> {
    // The caller is told, and can take the entry back.
    await this.#change((entries) => entries.map((one) => (one.id === id ? { ...one, problem } : one)));
    this.#finish(id, { type: 'problem', problem });
  }

  async #done(entry: OutboxEntry, { id: given, ...outcome }: Outcome & { type: 'done' }): Promise<void> {
    const { operation } = entry;
    const own = ownId(operation);
    const doneAt = this.#options.now();
    await this.#change((entries) =>
      entries
        .flatMap((one) => (one.id !== entry.id ? [one] : operation.kind === 'note' ? [{ ...one, doneAt }] : []))
        .map((one) =>
          own === undefined || given === undefined || one.id === entry.id ? one : renamed(one, own, given),
        ),
    );
    this.#options.done(entry, given ?? own ?? null);
    this.#finish(entry.id, { ...outcome, id: given });
  }

  /** How an entry goes that is asked for now. */
  #resultOf(id: string): Promise<Result> {
    const result = new Promise<Result>((resolve) => this.#results.set(id, resolve));
    return result.finally(() => this.#results.delete(id));
  }

  #finish(id: string, result: Result): void {
    this.#results.get(id)?.(result);
  }

  #resolveAll(result: Result): void {
    for (const resolve of [...this.#results.values()]) resolve(result);
  }

  /** Changes the entries. Those the device cannot store stay in the tab. */
  async #change(
    next: (entries: readonly OutboxEntry[], isOwn: (entry: OutboxEntry) => boolean) => readonly OutboxEntry[],
  ): Promise<readonly OutboxEntry[]> {
    const { store, spare, announce } = this.#options;
    const inTab = await spare.change((entries) => entries);
    let wanted: readonly OutboxEntry[] = [];
    const all = (kept: readonly OutboxEntry[], isOwn = (_: OutboxEntry) => true) => {
      wanted = next(merged(kept, inTab), isOwn);
      return wanted;
    };
    try {
      await store.change(all);
      await spare.change(() => []);
    } catch {
      // A change that needs no more space is still written: finished entries must not come back.
      const less = (kept: readonly OutboxEntry[]) => {
        // Another tab would send what is kept as it was before: what goes on with that is a step of its own.
        const shared = new Set(kept.map(({ id }) => id));
        const now = new Map(all(kept, ({ id }) => !shared.has(id)).map((one) => [one.id, one]));
        return kept.flatMap((one) => {
          const changed = now.get(one.id);
          return changed === undefined ? [] : [{ ...changed, operation: one.operation }];
        });
      };
      const kept = await store.change(less).catch((): readonly OutboxEntry[] => []);
      if (wanted.length === 0) all([]);
      const stored = new Set(kept.map(({ operation }) => operation));
      await spare.change(() => wanted.filter(({ operation }) => !stored.has(operation)));
    }
    this.#changes += 1;
    this.#show(wanted, this.#state.get().isSending);
    announce();
    return wanted;
  }

  /** Reads and shows the entries, as they are being sent or not. */
  async #read(isSending = false): Promise<readonly OutboxEntry[]> {
    const same = (entries: readonly OutboxEntry[]) => entries;
    const { store, spare } = this.#options;
    for (;;) {
      const before = this.#changes;
      const entries = merged(await store.change(same).catch(() => []), await spare.change(same));
      // Otherwise what was kept meanwhile would be shown as if it were gone.
      if (before !== this.#changes) continue;
      this.#show(entries, isSending && entries.some(({ doneAt, problem }) => doneAt === null && problem === null));
      return entries;
    }
  }

  #show(entries: readonly OutboxEntry[], isSending = false): void {
    if (!this.#isDisposed) this.#state.set({ entries, isSending });
  }
}

/** The id that was chosen here for what an operation makes. */
function ownId(operation: Operation): string | undefined {
  if (operation.kind === 'note') return operation.noteId;
  return operation.kind === 'file' ? operation.fileId : undefined;
}

/** Returns all entries in order. Those in the tab are newer. */
function merged(kept: readonly OutboxEntry[], inTab: readonly OutboxEntry[]): readonly OutboxEntry[] {
  const newer = new Set(inTab.map(({ id }) => id));
  return [...kept.filter(({ id }) => !newer.has(id)), ...inTab].sort((a, b) => a.order - b.order);
}

/** An entry about something for which the server chose another id. */
function renamed(entry: OutboxEntry, from: string, to: string): OutboxEntry {
  const { operation } = entry;
  const now = (id: string | null) => (id === from ? to : id);
  if (operation.kind === 'move') {
    return {
      ...entry,
      operation: { ...operation, moves: operation.moves.map((one) => ({ ...one, id: now(one.id) })) },
    };
  }
  if (operation.kind !== 'delete') return entry;
  const deleted = operation.deleted.map((one) => ({
    ...one,
    id: now(one.id),
    known: Object.fromEntries(Object.entries(one.known).map(([id, at]) => [now(id) ?? id, at])),
  }));
  return { ...entry, operation: { ...operation, deleted } };
}

/** Entries in the memory of this tab. */
export class TabOutbox implements OutboxStore {
  readonly isDurable = false;
  #entries: readonly OutboxEntry[] = [];

  async change(next: (entries: readonly OutboxEntry[]) => readonly OutboxEntry[]): Promise<readonly OutboxEntry[]> {
    this.#entries = next(this.#entries);
    return this.#entries;
  }
}
