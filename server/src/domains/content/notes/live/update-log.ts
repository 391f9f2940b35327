import { setImmediate as nextTurn } from 'node:timers/promises';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { slicesBySize } from '../../../../concurrency/slices.ts';
import { runShared } from '../../../../concurrency/tenant.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import { ConstraintError, type Database, type WriteHandle } from '../../../../ports/database/database.ts';
import { currentStanding, runUnder, type Standing } from '../../../foundation/rights/rights.ts';
import type { Actor } from '../../entries/entries.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { sealed } from '../sealed-note.ts';
import * as store from './live.store.ts';

type CheckRights = (handle: WriteHandle, standings: readonly Standing[]) => Promise<void>;

export interface UpdateLogDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Throws `RightsChanged` where one of the standings does not hold any more. */
  readonly vaults: { readonly holdRightsIn: CheckRights };
}

export interface LoggedUpdate {
  readonly vault: OpenVault;
  readonly note: NoteId;
  /** Yjs update, v1. */
  readonly update: Uint8Array;
  readonly actor: Actor;
  /** The document in memory that holds it. */
  readonly document: object;
}

interface PendingEntry extends LoggedUpdate {
  /** The decision on which it is stored; undefined for an edit of the server. */
  readonly standing: Standing | undefined;
  /** An estimate of its memory. */
  readonly bytes: number;
  readonly done: PromiseWithResolvers<string>;
}

/** A pending row of the log: edits of one person in one document since the last insert. */
interface PendingRow {
  readonly id: string;
  readonly first: LoggedUpdate;
  readonly entries: PendingEntry[];
}

/** The memory of an edit besides its bytes. */
const OVERHEAD_BYTES = 256;

/** Limits of one insert, so that a burst does not become one long statement. */
const BATCH_MAX = { count: 512, bytes: 4 * MB };
/** Maximum number of bytes that wait for an insert, when the database is slower than the clients. */
const WAITING_BYTES_MAX = 64 * MB;

/**
 * Stores edits in batches: edits that arrive during an insert are in the next one. No vault is locked, because the
 * order of edits does not change the result, and twenty people typing in one vault must not wait for each other.
 */
export class UpdateLog implements AsyncDisposable {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #checkRights: CheckRights;
  #waiting: PendingEntry[] = [];
  #edits = 0;
  #waitingBytes = 0;
  #flushing: Promise<void> | undefined;
  /** Documents with an edit that could not be stored, with the error: their later edits may depend on it. */
  readonly #refused = new WeakMap<object, NotevaultError>();

  constructor({ db, clock, vaults }: UpdateLogDeps) {
    this.#db = db;
    this.#clock = clock;
    this.#checkRights = vaults.holdRightsIn;
  }

  /**
   * Resolves to the row's id once the edit is on disk; edits resolve in the order of the calls. Rejects with `unavailable`
   * when it cannot be stored, with `note_not_found` when there is no such note. All later edits of its document are then
   * rejected, too: stored without an edit on which they depend, they would make the note unreadable.
   */
  async append(logged: LoggedUpdate): Promise<string> {
    const refused = this.#refused.get(logged.document);
    if (refused !== undefined) throw refused;
    const bytes = logged.update.length + OVERHEAD_BYTES;
    if (this.#waitingBytes + bytes > WAITING_BYTES_MAX) throw this.#reject(logged, new NotevaultError('unavailable'));
    const done = Promise.withResolvers<string>();
    this.#waiting.push({ ...logged, standing: currentStanding(), bytes, done });
    this.#waitingBytes += bytes;
    this.#edits += 1;
    this.#flushing ??= runUnder(undefined, () => runShared(() => this.#flush()));
    return done.promise;
  }

  /** The number of edits that are not on disk yet. */
  get edits(): number {
    return this.#edits;
  }

  /** An estimate of their memory. */
  get editBytes(): number {
    return this.#waitingBytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    // Edits that arrived in one turn of the event loop are inserted together.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const batch = this.#takeBatch();
      await this.#write(batch);
      for (const { bytes } of batch) this.#waitingBytes -= bytes;
      this.#edits -= batch.length;
    }
    this.#flushing = undefined;
  }

  #reject({ document }: LoggedUpdate, error: NotevaultError): NotevaultError {
    this.#refused.set(document, error);
    return error;
  }

  #takeBatch(): PendingEntry[] {
    const [batch = []] = slicesBySize(this.#waiting, BATCH_MAX, ({ bytes }) => bytes);
    return this.#waiting.splice(0, batch.length);
  }

  async #write(batch: readonly PendingEntry[]): Promise<void> {
    const entries = batch.filter(({ document, done }) => {
      const refused = this.#refused.get(document);
      if (refused !== undefined) done.reject(refused);
      return refused === undefined;
    });
    try {
      const rows = this.#rowsOf(entries);
      await this.#insert(rows);
      const idOf = new Map(rows.flatMap(({ id, entries }) => entries.map((entry) => [entry, id])));
      for (const entry of entries) entry.done.resolve(idOf.get(entry) ?? '');
    } catch (error) {
      // A note that no longer exists, or a writer who may not write any more, must not lose the edits of others.
      const isOfOne = error instanceof ConstraintError || error instanceof NotevaultError;
      if (isOfOne && entries.length > 1) {
        for (const entry of entries) await this.#write([entry]);
      } else {
        for (const entry of entries) entry.done.reject(this.#reject(entry, errorOf(error)));
      }
    }
  }

  /** Edits of one person to one document share a row, because sealing and inserting cost more than a few letters. */
  #rowsOf(batch: readonly PendingEntry[]): PendingRow[] {
    const rows = new Map<object, Map<string, PendingRow>>();
    for (const entry of batch) {
      const { document, actor } = entry;
      const ofDocument = rows.get(document) ?? new Map<string, PendingRow>();
      rows.set(document, ofDocument);
      const key = `${actor.userId}\0${actor.kind}\0${actor.name}`;
      const row = ofDocument.get(key) ?? { id: this.#clock.uuid(), first: entry, entries: [] };
      row.entries.push(entry);
      ofDocument.set(key, row);
    }
    return [...rows.values()].flatMap((ofDocument) => [...ofDocument.values()]);
  }

  #insert(rows: readonly PendingRow[]): Promise<number> {
    const sealedRows = rows.map(({ id, first: { vault, note, actor }, entries }) => {
      const updates = entries.map(({ update }) => update);
      return { vault_id: vault.id, note_id: note, id, payload: sealed.edits(vault, note, id, actor, updates) };
    });
    const standings = rows.flatMap(({ entries }) => entries.flatMap(({ standing }) => standing ?? []));
    const insert = async (handle: WriteHandle) => {
      const [count] = await Promise.all([
        handle.runMany(store.insertUpdates, {}, sealedRows),
        this.#checkRights(handle, standings),
      ]);
      return count;
    };
    return this.#db.transact(insert, 'interactive');
  }
}

function errorOf(error: unknown): NotevaultError {
  return new NotevaultError(error instanceof ConstraintError ? 'note_not_found' : 'unavailable', {}, error);
}
