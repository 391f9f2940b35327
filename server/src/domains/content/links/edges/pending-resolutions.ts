import { MB } from '@notevault/protocol/values/byte-units.ts';
import { NIL_UUID, type VaultId } from '@notevault/protocol/values/ids.ts';
import { Coalescer } from '../../../../concurrency/coalesce.ts';
import { runForTenant } from '../../../../concurrency/tenant.ts';
import { type Database, type ReadHandle, rowsOf, type WriteHandle } from '../../../../ports/database/database.ts';
import type { OpenVault, Vaults } from '../../vaults/vaults.ts';
import * as resolutions from '../link-resolutions.store.ts';
import type { Extensions } from '../link-resolver.ts';
import type { StoredEdge } from '../links.store.ts';
import { type NameChange, RESOLVED_AT_ONCE, retargetsOf, sourcesOf, writeTargets } from './resolve-again.ts';

/** Names looked at in one transaction. */
const NAMES = 32;
/** Maximum bytes of the notes whose links one transaction resolves; one note may have more. */
const TEXT_BYTES = 4 * MB;
const VAULTS = 100;

/** Names whose links wait, and the first seq of the entries that appeared under them. */
export interface WaitingNames {
  readonly keys: readonly Buffer[];
  readonly since: number;
}

export interface PendingDeps {
  readonly db: Database;
  readonly vaults: Pick<Vaults, 'advance' | 'currentSeq' | 'openAsSystem'>;
  readonly extensions: Extensions;
}

/**
 * Resolves links again that are too many for the transaction in which entries of their name appeared or disappeared. A
 * write stores the names, and short transactions resolve the links one slice after the other, so that other accounts
 * write in between. Until then, readers see the former targets. The names are stored, so the work continues after a
 * crash; slices of several processes exclude each other by the vault's lock.
 */
export class PendingResolutions implements AsyncDisposable {
  readonly #deps: PendingDeps;
  readonly #runs = new Coalescer<VaultId>();
  /** The last run of each vault that this process began and that has not ended. */
  readonly #running = new Map<VaultId, Promise<void>>();
  #isClosing = false;

  constructor(deps: PendingDeps) {
    this.#deps = deps;
  }

  /** Stores names in the transaction that changed their entries; begins to resolve the links after its commit. */
  async add(handle: WriteHandle, vault: OpenVault, { keys, appeared }: NameChange): Promise<void> {
    const rows = await handle.allMany(resolutions.findSeqs, { vault_id: vault.id }, appeared);
    const since = Math.min(await this.nextSeq(handle, vault), ...rows.flatMap(({ seq }) => seq ?? []));
    await this.addSince(handle, vault, { keys, since });
  }

  /** Like `add`, for entries that get the seq `since` or a later one in the transaction. */
  async addSince(handle: WriteHandle, vault: OpenVault, { keys, since }: WaitingNames): Promise<void> {
    const names = await handle.allMany(resolutions.findLinkedNames, { vault: vault.id }, keys);
    await handle.runMany(resolutions.addResolutions, { vault: vault.id, since }, names);
    handle.onCommit(() => this.#begin(vault));
  }

  /** Returns the seq that the next change of a vault gets. */
  async nextSeq(handle: ReadHandle, vault: OpenVault): Promise<number> {
    return (await this.#deps.vaults.currentSeq(handle, vault)) + 1;
  }

  /** Resolves once no link waits any more that a write of this process left; also if it could not be resolved now. */
  async settled({ id }: Pick<OpenVault, 'id'>): Promise<void> {
    await this.#running.get(id);
  }

  /** Resolves all links of a vault that wait, whichever process left them. */
  async finish(vault: OpenVault): Promise<void> {
    if (await this.#isWaiting(vault)) await this.#run(vault);
  }

  /** Resolves links that wait in any vault, as after a crash. */
  async run(signal: AbortSignal): Promise<void> {
    const { db, vaults } = this.#deps;
    const failures: unknown[] = [];
    const after = (last?: { vault_id: string }) => ({ after: last?.vault_id ?? NIL_UUID, limit: VAULTS });
    for await (const { vault_id } of rowsOf(db, resolutions.findVaults, after)) {
      if (signal.aborted) return;
      try {
        const vault = await vaults.openAsSystem(vault_id as VaultId);
        if (vault !== null) await this.#run(vault);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Waits for the transactions that run; the rest is continued at the next start. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    return this.#runs.idle();
  }

  #begin(vault: OpenVault): void {
    // A failed run is repeated, and reported, by the job.
    const running: Promise<void> = this.#run(vault)
      .catch(() => undefined)
      .finally(() => {
        if (this.#running.get(vault.id) === running) this.#running.delete(vault.id);
      });
    this.#running.set(vault.id, running);
  }

  #run({ id, ownerId }: OpenVault): Promise<void> {
    return this.#runs.run(id, () => runForTenant(ownerId, () => this.#resolveAll(id)));
  }

  async #resolveAll(id: VaultId): Promise<void> {
    const vault = await this.#deps.vaults.openAsSystem(id);
    if (vault === null) return;
    while (!this.#isClosing && (await this.#isWaiting(vault)))
      await this.#deps.db.transact((handle) => this.#resolveSlice(handle, vault));
  }

  async #isWaiting({ id }: OpenVault): Promise<boolean> {
    return (await this.#deps.db.get(resolutions.findResolutions, { vault: id, limit: 1 })) !== undefined;
  }

  async #resolveSlice(handle: WriteHandle, vault: OpenVault): Promise<void> {
    const { vaults, extensions } = this.#deps;
    // Answers for this seq become stale, and moves that were planned with the former targets are planned again.
    await vaults.advance(handle, vault, { seqs: 1, notes: 0 });
    const budget = { edges: RESOLVED_AT_ONCE, bytes: TEXT_BYTES };
    for (const name of await handle.all(resolutions.findResolutions, { vault: vault.id, limit: NAMES })) {
      const { edges, isLast } = await nextEdges(handle, vault, name, budget);
      const retargets = await retargetsOf(extensions, handle, vault, edges, ({ seqOf }) =>
        [...seqOf].flatMap(([id, seq]) => (seq >= name.since ? [id] : [])),
      );
      await writeTargets(handle, vault, retargets);
      const [key, last] = [{ ...name, vault_id: vault.id }, edges.at(-1)];
      if (isLast) await handle.run(resolutions.deleteResolution, key);
      else if (last !== undefined)
        await handle.run(resolutions.putResolution, { ...key, after_source: last.source_id, after_ord: last.ord });
      if (!isLast) return;
    }
  }
}

/** Reads the next edges of a name within the budget of a transaction, which shrinks, and whether they are the last. */
async function nextEdges(
  handle: ReadHandle,
  vault: OpenVault,
  { name_key: name, is_other, after_source: source, after_ord: ord }: resolutions.StoredResolution,
  budget: { edges: number; bytes: number },
): Promise<{ readonly edges: readonly StoredEdge[]; readonly isLast: boolean }> {
  const statement = is_other === 0 ? resolutions.findEdgesAfterByKey : resolutions.findEdgesAfterByOtherKey;
  const limit = budget.edges;
  const page = await handle.all(statement, { vault: vault.id, name, source, ord, limit });
  const sizes = await handle.allMany(resolutions.findSizes, { vault_id: vault.id }, sourcesOf(page));
  const left = new Map(sizes.map(({ id, size_bytes }) => [id, size_bytes]));
  const end = page.findIndex(({ source_id }, index) => {
    budget.bytes -= left.get(source_id) ?? 0;
    left.delete(source_id);
    return index > 0 && budget.bytes < 0;
  });
  const edges = end === -1 ? page : page.slice(0, end);
  budget.edges -= edges.length;
  return { edges, isLast: edges.length === page.length && page.length < limit };
}
