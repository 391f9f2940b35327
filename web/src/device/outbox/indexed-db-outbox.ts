import { completion, DeviceDatabase, result } from '../../platform/indexed-db.ts';
import { LOCKED_MS } from '../../platform/locked.ts';
import type { OutboxEntry } from './operation.ts';
import type { OutboxStore } from './outbox.ts';

interface EntryRow extends OutboxEntry {
  readonly account: string;
  /** When the server ended the session of the account, in milliseconds. */
  readonly lockedAt?: number;
}

const ENTRIES = 'entries';

/** The entries of an account in IndexedDB. Those of another account are as if they were not there. */
export class IndexedDbOutbox implements OutboxStore {
  readonly isDurable = true;
  readonly #account: string;
  readonly #database: DeviceDatabase;

  constructor(factory: IDBFactory, account: string) {
    this.#account = account;
    this.#database = new DeviceDatabase(factory, 'notevault-outbox', (database) => {
      database.createObjectStore(ENTRIES, { keyPath: 'id' });
    });
  }

  async change(next: (entries: readonly OutboxEntry[]) => readonly OutboxEntry[]): Promise<readonly OutboxEntry[]> {
    const transaction = await this.#database.transaction('readwrite', ENTRIES);
    const done = completion(transaction);
    done.catch(() => undefined);
    const store = transaction.objectStore(ENTRIES);
    const rows = await result<EntryRow[]>(store.getAll());
    const kept = rows.filter(({ account }) => account === this.#account).sort((a, b) => a.order - b.order);
    const entries = next(kept);
    const ids = new Set(entries.map(({ id }) => id));
    for (const { id } of kept) if (!ids.has(id)) store.delete(id);
    for (const entry of entries) {
      if (!kept.some((row) => row === entry)) store.put({ ...entry, account: this.#account } satisfies EntryRow);
    }
    await done;
    return entries;
  }

  /** Records that the server ended a session: from then on, entries of other accounts than the next one wait for a while. */
  async lock(now: number): Promise<void> {
    await this.#each((row, store) => void store.put({ lockedAt: now, ...row } satisfies EntryRow));
  }

  /** Removes other accounts' entries that were locked for too long, and unlocks this account's. */
  async tidy(now: number): Promise<void> {
    await this.#each((row, store) => {
      const { lockedAt, ...unlocked } = row;
      if (lockedAt === undefined) return;
      if (row.account === this.#account) store.put(unlocked satisfies EntryRow);
      else if (lockedAt < now - LOCKED_MS) store.delete(row.id);
    });
  }

  async #each(change: (row: EntryRow, store: IDBObjectStore) => void): Promise<void> {
    const transaction = await this.#database.transaction('readwrite', ENTRIES);
    const done = completion(transaction);
    done.catch(() => undefined);
    const store = transaction.objectStore(ENTRIES);
    for (const row of await result<EntryRow[]>(store.getAll())) change(row, store);
    await done;
  }

  /** Whether another account has entries that wait. */
  async hasOthers(): Promise<boolean> {
    const store = (await this.#database.transaction('readonly', ENTRIES)).objectStore(ENTRIES);
    return (await result<EntryRow[]>(store.getAll())).some(({ account }) => account !== this.#account);
  }
}
