import { MB } from '@notevault/protocol/values/byte-units.ts';
import { completion, DeviceDatabase, result } from '../../platform/indexed-db.ts';
import { LOCKED_MS } from '../../platform/locked.ts';
import {
  byNote,
  type DeviceNote,
  type Edits,
  type LocalCopy,
  type LocalStore,
  type NoteRef,
  type StashedNote,
  type UnsentCopy,
  withoutSent,
} from './local-store.ts';

/** Name of the database with the copies; signing out deletes it. */
export const LOCAL_DATABASE = 'notevault-notes';

/** A copy of a document: one row per note and lineage. Releases up to 0.2 wrote only the required fields. */
interface CopyRow {
  readonly noteId: string;
  readonly lineage: string;
  /** Unsent edits; releases up to 0.2 stored only the writers. */
  readonly unsentBy: readonly (Edits | string)[];
  readonly writtenAt: number;
  readonly account?: string;
  readonly vaultId?: string | null;
  readonly path?: string | null;
  readonly asideOf?: string;
  /** When the copy was last opened or written, in epoch milliseconds; missing in copies of releases up to 0.2. */
  readonly usedAt?: number;
  /** Approximate size of its updates; missing in copies of releases up to 0.2. */
  readonly bytes?: number;
  /** When the server ended the session of the copy's account; missing again once that account signs in. */
  readonly lockedAt?: number;
}

interface UpdateRow {
  readonly noteId: string;
  readonly lineage: string;
  readonly update: Uint8Array;
}

/** Maximum copies without unsent edits. Beyond it, the least recently used are removed. */
const MOST_COPIES = 5_000;
const MOST_BYTES = 256 * MB;

const COPIES = 'copies';
const UPDATES = 'updates';

/**
 * Documents in IndexedDB, found by note and lineage. Rows of other accounts are ignored. Rows without an account belong
 * to this one or are useless, because an account can only open its own notes.
 */
export class IndexedDbStore implements LocalStore {
  readonly isDurable = true;
  readonly #now: () => number;
  readonly #account: string;
  readonly #database: DeviceDatabase;
  #isEnded = false;

  /** @param account the id of the account that owns the copies. */
  constructor(factory: IDBFactory, now: () => number, account: string) {
    this.#database = new DeviceDatabase(factory, LOCAL_DATABASE, (database) => {
      const copies = database.createObjectStore(COPIES, { keyPath: ['noteId', 'lineage'] });
      copies.createIndex('note', 'noteId');
      const updates = database.createObjectStore(UPDATES, { autoIncrement: true });
      updates.createIndex('copy', ['noteId', 'lineage']);
    });
    this.#now = now;
    this.#account = account;
  }

  async load(noteId: string): Promise<LocalCopy | null> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    const [best] = await this.#rowsOf(copies, noteId);
    if (best === undefined) return null;
    const found = await result<UpdateRow[]>(updates.index('copy').getAll([noteId, best.lineage]));
    const bytes = found.reduce((sum, { update }) => sum + update.byteLength, 0);
    copies.put({ ...best, usedAt: this.#now(), bytes } satisfies CopyRow);
    await done;
    return { lineage: best.lineage, unsent: unsentOf(best), updates: found.map(({ update }) => update) };
  }

  async append(note: NoteRef, lineage: string, update: Uint8Array, edits: Edits | null): Promise<void> {
    if (this.#isEnded) return;
    const { copies, updates, done } = await this.#transaction('readwrite');
    const { id: noteId, vaultId, path } = note;
    const row = await result<CopyRow | undefined>(copies.get([noteId, lineage]));
    const before = unsentOf(row);
    const unsentBy = edits === null ? before : [...before.filter(({ writer }) => writer !== edits.writer), edits];
    const [account, now] = [this.#account, this.#now()];
    const bytes = (row?.bytes ?? 0) + update.byteLength;
    const copy = { noteId, lineage, unsentBy, writtenAt: now, usedAt: now, bytes, account, vaultId, path };
    copies.put(copy satisfies CopyRow);
    updates.add({ noteId, lineage, update } satisfies UpdateRow);
    await done;
  }

  async putBack({ id: noteId, ...place }: NoteRef, copy: LocalCopy): Promise<void> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    const { lineage } = copy;
    const since = unsentOf(await result<CopyRow | undefined>(copies.get([noteId, lineage])));
    const unsentBy = [...withoutSent(copy.unsent, since), ...since];
    const account = this.#account;
    copies.put({ noteId, lineage, unsentBy, writtenAt: this.#now(), account, ...place } satisfies CopyRow);
    for (const update of copy.updates) updates.add({ noteId, lineage, update } satisfies UpdateRow);
    await done;
  }

  async compact(noteId: string, lineage: string, merge: (updates: readonly Uint8Array[]) => Uint8Array): Promise<void> {
    const { updates, done } = await this.#transaction('readwrite');
    const range = updates.index('copy');
    // Both happen in one transaction, so that no other tab can add a row in between.
    const [rows, keys] = await Promise.all([
      result<UpdateRow[]>(range.getAll([noteId, lineage])),
      result(range.getAllKeys([noteId, lineage])),
    ]);
    for (const key of keys) updates.delete(key);
    if (rows.length > 0) updates.add({ noteId, lineage, update: merge(rows.map(({ update }) => update)) });
    await done;
  }

  async markSent(noteId: string, lineage: string, sent: readonly Edits[]): Promise<void> {
    const { copies, done } = await this.#transaction('readwrite');
    const copy = await result<CopyRow | undefined>(copies.get([noteId, lineage]));
    if (copy !== undefined) copies.put({ ...copy, unsentBy: withoutSent(unsentOf(copy), sent) } satisfies CopyRow);
    await done;
  }

  async remove(noteId: string, lineage?: string): Promise<void> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    for (const row of await this.#rowsOf(copies, noteId)) {
      if (lineage === undefined || row.lineage === lineage) await removeRow(copies, updates, row);
    }
    await done;
  }

  async stash(noteId: string): Promise<readonly StashedNote[]> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    const stashed: StashedNote[] = [];
    for (const row of await this.#rowsOf(copies, noteId)) {
      if (row.unsentBy.length > 0) {
        const moved = { ...row, noteId: `${noteId} ${row.lineage} ${this.#now()}`, asideOf: noteId } satisfies CopyRow;
        await move(copies, updates, row, moved);
        stashed.push({ ...refOf(moved), asideOf: noteId });
      } else await removeRow(copies, updates, row);
    }
    await done;
    return stashed;
  }

  async unstash({ id, asideOf }: StashedNote): Promise<void> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    for (const { asideOf: _, ...row } of await this.#rowsOf(copies, id)) {
      const since = unsentOf(await result<CopyRow | undefined>(copies.get([asideOf, row.lineage])));
      const unsentBy = [...withoutSent(unsentOf(row), since), ...since];
      await move(copies, updates, row, { ...row, noteId: asideOf, unsentBy });
    }
    await done;
  }

  async find(noteId: string): Promise<DeviceNote | null> {
    const { copies } = await this.#transaction('readonly');
    const [best] = await this.#rowsOf(copies, noteId);
    return best === undefined ? null : { ...refOf(best), hasUnsent: best.unsentBy.length > 0 };
  }

  async sentNotes(vaultId: string): Promise<readonly NoteRef[]> {
    const { copies } = await this.#transaction('readonly');
    const rows = (await result<CopyRow[]>(copies.getAll())).filter((row) => this.#has(row));
    const unsent = new Set(rows.filter(({ unsentBy }) => unsentBy.length > 0).map(({ noteId }) => noteId));
    return rows.filter((row) => row.vaultId === vaultId && !unsent.has(row.noteId)).map(refOf);
  }

  async unsentNotes(): Promise<readonly UnsentCopy[]> {
    const { copies } = await this.#transaction('readonly');
    const rows = (await result<CopyRow[]>(copies.getAll())).filter((row) => this.#has(row));
    return byNote(rows.map((row) => ({ ...refOf(row), unsent: unsentOf(row) })));
  }

  end(): void {
    this.#isEnded = true;
  }

  async clear(): Promise<boolean> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    const rows = await result<CopyRow[]>(copies.getAll());
    const kept = rows.filter((row) => row.unsentBy.length > 0 && !this.#has(row));
    for (const row of rows) if (!kept.includes(row)) await removeRow(copies, updates, row);
    await done;
    return kept.length === 0;
  }

  async hasOthers(): Promise<boolean> {
    const { copies } = await this.#transaction('readonly');
    return (await result<CopyRow[]>(copies.getAll())).some((row) => row.unsentBy.length > 0 && !this.#has(row));
  }

  async lock(): Promise<void> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    for (const row of await result<CopyRow[]>(copies.getAll())) {
      if (row.unsentBy.length === 0) await removeRow(copies, updates, row);
      else copies.put({ lockedAt: this.#now(), ...row } satisfies CopyRow);
    }
    await done;
  }

  async tidy(vaults: ReadonlySet<string>): Promise<void> {
    const { copies, updates, done } = await this.#transaction('readwrite');
    const sent: CopyRow[] = [];
    for (const row of await result<CopyRow[]>(copies.getAll())) {
      const { lockedAt, ...unlocked } = row;
      const isOwn = this.#has(row);
      const isUnsent = row.unsentBy.length > 0;
      const isOver = !isOwn && lockedAt !== undefined && lockedAt < this.#now() - LOCKED_MS;
      const isForeign = !isOwn || (typeof row.vaultId === 'string' && !vaults.has(row.vaultId));
      if (isUnsent ? isOver : isForeign) await removeRow(copies, updates, row);
      else if (!isUnsent) sent.push(row);
      else if (isOwn && lockedAt !== undefined) copies.put(unlocked);
    }
    for (const row of beyondBound(sent)) await removeRow(copies, updates, row);
    await done;
  }

  /** Returns the rows of a note, the preferred one first. */
  async #rowsOf(copies: IDBObjectStore, noteId: string): Promise<readonly CopyRow[]> {
    const rows = await result<CopyRow[]>(copies.index('note').getAll(noteId));
    const unsentFirst = (row: CopyRow) => (row.unsentBy.length > 0 ? 1 : 0);
    return rows
      .filter((row) => this.#has(row))
      .sort((a, b) => unsentFirst(b) - unsentFirst(a) || b.writtenAt - a.writtenAt);
  }

  #has({ account }: CopyRow): boolean {
    return account === undefined || account === this.#account;
  }

  async #transaction(mode: IDBTransactionMode) {
    const transaction = await this.#database.transaction(mode, COPIES, UPDATES);
    const done = completion(transaction);
    // A failed request already reports the error of its transaction.
    done.catch(() => undefined);
    return { copies: transaction.objectStore(COPIES), updates: transaction.objectStore(UPDATES), done };
  }
}

/** Returns the least recently used copies that exceed the maximum. */
function beyondBound(rows: readonly CopyRow[]): readonly CopyRow[] {
  const usedAt = (row: CopyRow) => row.usedAt ?? row.writtenAt;
  const latestFirst = [...rows].sort((a, b) => usedAt(b) - usedAt(a));
  let bytes = 0;
  const within = latestFirst.findIndex((row, at) => {
    bytes += row.bytes ?? 0;
    return at >= MOST_COPIES || bytes > MOST_BYTES;
  });
  return within < 0 ? [] : latestFirst.slice(within);
}

function unsentOf(row: CopyRow | undefined): readonly Edits[] {
  return (row?.unsentBy ?? []).map((one) => (typeof one === 'string' ? { writer: one, upTo: 0 } : one));
}

function refOf({ noteId, vaultId = null, path = null, asideOf }: CopyRow): NoteRef {
  return { id: noteId, vaultId, path, ...(asideOf === undefined ? {} : { asideOf }) };
}

/** Moves a copy to another note, merging it with the rows of the same lineage. */
async function move(copies: IDBObjectStore, updates: IDBObjectStore, row: CopyRow, to: CopyRow): Promise<void> {
  const found = await result<UpdateRow[]>(updates.index('copy').getAll([row.noteId, row.lineage]));
  await removeRow(copies, updates, row);
  copies.put(to);
  for (const { update } of found) {
    updates.add({ noteId: to.noteId, lineage: to.lineage, update } satisfies UpdateRow);
  }
}

async function removeRow(copies: IDBObjectStore, updates: IDBObjectStore, row: CopyRow): Promise<void> {
  const key = [row.noteId, row.lineage];
  copies.delete(key);
  for (const update of await result(updates.index('copy').getAllKeys(key))) updates.delete(update);
}
