import type { NoteId, UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { CollaborationLimits } from './collaboration.deps.ts';
import type { Caller, Connection } from './connection.ts';
import type { Permission, PermissionDecision } from './permission-cache.ts';
import type { ProtocolWriter, Subscription } from './subscription.ts';
import type { ChangeWriter } from './vault-subscription.ts';

/** The credential presented at the endpoint of one note. */
export interface Credential {
  /** The `Authorization` header; takes precedence when present. */
  readonly authorization: string | null;
  /** The token from the URL. URLs end up in logs, so tokens of third-party clients are not accepted there. */
  readonly token: string | null;
}

/** The target that a document's name refers to. */
export type Target = { readonly note: NoteId } | { readonly vault: VaultId };

/** The services that a session uses. */
export interface SessionContext {
  readonly limits: CollaborationLimits;
  /** Decides what a token may do with a target. Rejects when this cannot be checked. */
  decide(token: string, caller: Caller, target: Target): Promise<PermissionDecision>;
  /** Throws the errors of LiveNotes.open. */
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
  /** Counts a socket of a user; returns false over the limit. Call `gone` once it is closed. */
  addSocket(userId: UserId): boolean;
  removeSocket(userId: UserId): void;
  /** Resolves when a refusal may be sent: every refusal takes the same time, whatever its reason. */
  refusalDelay(): Promise<void>;
}
