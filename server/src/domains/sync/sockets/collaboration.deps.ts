import type { Need } from '@notevault/protocol/operations.ts';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Bus } from '../../../ports/bus/bus.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Principal } from '../../access/access.ts';
import type { LiveNotes } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { Caller } from './connection.ts';

/** Hooks to domains further right in the domain order; bound in app.ts. */
export interface CollaborationHooks {
  /** Returns the principal of a token. Throws `unauthorized`. */
  authenticate(token: string, caller: Caller): Promise<Principal>;
  /** Returns the principal with the current permissions of its credential; null once the credential has none. */
  recall(principal: Principal): Promise<Principal | null>;
}

/** Limits on what one user may have open. */
export interface CollaborationLimits {
  readonly socketsPerUser: number;
  readonly documentsPerSocket: number;
}

export interface CollaborationDeps {
  readonly clock: Clock;
  readonly bus: Bus;
  readonly live: LiveNotes;
  readonly vaults: {
    openVault(principal: Principal, header: string | undefined, need: Need): Promise<OpenVault>;
    /** Returns the last seq of each vault that exists. */
    changeSeqs(ids: readonly VaultId[]): Promise<ReadonlyMap<VaultId, Seq>>;
  };
  readonly limits: CollaborationLimits;
  readonly hooks: CollaborationHooks;
}
