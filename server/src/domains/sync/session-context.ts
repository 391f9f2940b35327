import type { NoteId, UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { CollaborationLimits } from './collaboration.deps.ts';
import type { Caller, Connection } from './connection.ts';
import type { Permission, PermissionDecision } from './permission-cache.ts';
import type { ProtocolWriter, Subscription } from './subscription.ts';
import type { ChangeWriter } from './vault-subscription.ts';

/** What somebody shows at the endpoint of one note. */
export interface Credential {
  /** The `Authorization` header; counts when it is there. */
  readonly authorization: string | null;
  /** From the address, where addresses are kept: no tokens of other parties' clients are taken there. */
  readonly token: string | null;
}

/** What a document's name stands for. */
export type Target = { readonly note: NoteId } | { readonly vault: VaultId };

/** What the conversations work with. */
export interface SessionContext {
  readonly limits: CollaborationLimits;
  /** What a token may do with a target. Rejects when that cannot be told. */
  decide(token: string, caller: Caller, target: Target): Promise<PermissionDecision>;
  /** Throws as LiveNotes.open does. */
  subscribe(
    client: { connection: Connection; writer: ChangeWriter },
    permission: Permission,
    target: Target,
  ): Promise<Subscription>;
  subscribeNote(
    client: { connection: Connection; writer: ProtocolWriter },
    permission: Permission,
    note: NoteId,
  ): Promise<Subscription>;
  /** Counts a socket as one of a user's; false when they have too many. Call `gone` once it is closed. */
  addSocket(userId: UserId): boolean;
  removeSocket(userId: UserId): void;
  /** Resolves when a refusal may be told: however it came about, it takes the same time. */
  refusalDelay(): Promise<unknown>;
}
