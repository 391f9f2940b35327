import type { VaultId } from '@notevault/protocol/ids.ts';
import type { Following } from './following.ts';
import { indexFormat } from './index-format.ts';
import type { Keeping } from './keeping.ts';
import type { SearchParts } from './parts.ts';
import * as store from './search.store.ts';

/** So many changes that no index at rest knows are more than a question should wait for: some seconds. */
const far = 1000;
/** A vault that was written to is left alone for so long: an import is indexed once, after it. */
const quietMs = 5000;
/** What other processes wrote, and what was written before this one started, is looked for so often. */
const lookEveryMs = 60_000;
/** Vaults looked at, and then made ready one after the other. */
const vaultsAtOnce = 16;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Makes the indexes of vaults that nobody has searched since much was written there, so that a question finds them. */
export interface Ahead {
  /** Looks which vaults are far behind, and brings those up that have been quiet. Not to be called while it runs. */
  run(signal: AbortSignal): Promise<void>;
  /** Something was written. */
  changed(): void;
}

/** @param failed hears of vaults that could not be brought up. */
export function createAhead(
  { db, clock, vaults, rest }: SearchParts,
  following: Following,
  keeping: Keeping,
  failed: (error: unknown) => void,
): Ahead {
  let lookAt = 0;
  /** The vaults that were behind at the last look: their seqs then, and since when they stand there. */
  let behind = new Map<VaultId, { readonly seq: number; readonly since: number }>();

  async function look(now: number): Promise<VaultId[]> {
    const found = await db.all(store.findBehind, { format: indexFormat, far, after: FIRST_ID, limit: vaultsAtOnce });
    const before = behind;
    behind = new Map(
      found.map(({ vault_id: id, change_seq: seq }) => {
        const known = before.get(id);
        return [id, { seq, since: known?.seq === seq ? known.since : now }];
      }),
    );
    const quiet = [...behind].filter(([, { since }]) => since + quietMs <= now).map(([id]) => id);
    lookAt = now + (quiet.length < behind.size ? quietMs : lookEveryMs);
    return quiet;
  }

  /** At rest as well as in memory: there it may have to make room for others. */
  async function bring(vaultId: VaultId, signal: AbortSignal): Promise<void> {
    const vault = await vaults.openForWork(vaultId);
    if (vault === null) return;
    await following.catchUpBeside(vault, (ms) => rest(ms, signal), signal);
    await keeping.keep(vault);
  }

  return {
    async run(signal) {
      const now = clock.now();
      if (now < lookAt) return;
      for (const vaultId of await look(now)) {
        if (signal.aborted) return;
        await bring(vaultId, signal).catch((error: unknown) => {
          if (!signal.aborted) failed(error);
        });
      }
    },
    changed() {
      lookAt = Math.min(lookAt, clock.now() + quietMs);
    },
  };
}
