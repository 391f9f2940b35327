import type { Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { Bus } from '../../ports/bus/bus.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Principal } from '../access/access.ts';
import type { LiveNotes } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { Caller } from './connection.ts';

/** What the endpoints must ask on their right; bound in app.ts. */
export interface CollaborationHooks {
  /** The caller behind a token. Throws `unauthorized`. */
  authenticate(token: string, caller: Caller): Promise<Principal>;
  /** What the credential of a principal may do now, whichever token it came with; null once it may do nothing. */
  recall(principal: Principal): Promise<Principal | null>;
}

/** Bounds on what one user may have open. */
export interface CollaborationLimits {
  readonly socketsPerUser: number;
  readonly documentsPerSocket: number;
}

export interface CollaborationDeps {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly live: LiveNotes;
  readonly vaults: {
    openVault(principal: Principal, header: string | undefined, need: 'read' | 'write'): Promise<OpenVault>;
    /** The last seq taken in each of the vaults that are there. */
    changeSeqs(ids: readonly VaultId[]): Promise<ReadonlyMap<VaultId, Seq>>;
  };
  readonly limits: CollaborationLimits;
  readonly hooks: CollaborationHooks;
}
