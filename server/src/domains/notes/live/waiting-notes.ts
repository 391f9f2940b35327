import type { NoteId, VaultId } from '@notevault/protocol/ids.ts';
import { runShared } from '../../../concurrency/owner.ts';
import type { Database } from '../../../ports/database/database.ts';
import * as store from './live.store.ts';

/**
 * Finds notes with edits in the log that wait for their flush. If no other process uses the database, this remembers
 * which vaults may have any, so that a request to another vault costs no statement.
 */
export class WaitingNotes {
  readonly #db: Database;
  readonly #singleProcess: boolean;
  /** Vaults that may have waiting edits, with the number of their edits since they were added. */
  readonly #vaults = new Map<VaultId, number>();
  #readAtStart: Promise<void> | undefined;

  constructor(db: Database, singleProcess: boolean) {
    this.#db = db;
    this.#singleProcess = singleProcess;
  }

  /** Call after each edit of a vault. */
  add(vaultId: VaultId): void {
    this.#vaults.set(vaultId, (this.#vaults.get(vaultId) ?? 0) + 1);
  }

  async in(vaultId: VaultId): Promise<NoteId[]> {
    if (this.#singleProcess && !(await this.#mayWait(vaultId))) return [];
    const edits = this.#vaults.get(vaultId);
    const rows = await this.#db.all(store.findWaitingIn, { vault: vaultId });
    // An edit that was added during the statement may not be in its result.
    if (rows.length === 0 && this.#vaults.get(vaultId) === edits) this.#vaults.delete(vaultId);
    return rows.map((row) => row.note_id as NoteId);
  }

  async #mayWait(vaultId: VaultId): Promise<boolean> {
    this.#readAtStart ??= runShared(() => this.#readLog()).catch((error) => {
      // Tried again by the next request: the database may have been unavailable only briefly.
      this.#readAtStart = undefined;
      throw error;
    });
    await this.#readAtStart;
    return this.#vaults.has(vaultId);
  }

  /** Adds the vaults with edits that an earlier process left. */
  async #readLog(): Promise<void> {
    for (const row of await this.#db.all(store.findVaultsWaiting, {})) this.add(row.vault_id as VaultId);
  }
}
