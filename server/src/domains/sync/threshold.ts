import type { NoteId, UserId, VaultId } from '@notevault/protocol/ids.ts';
import type { Decision, Right } from './authority.ts';
import type { DoorLimits } from './door-parts.ts';
import type { Caller, Peer } from './peer.ts';
import type { Outlet, Subscription } from './subscription.ts';
import type { SignalOutlet } from './vault-subscription.ts';

/** What somebody shows at the door of one note. */
export interface Credential {
  /** The `Authorization` header; counts when it is there. */
  readonly authorization: string | null;
  /** From the address, where addresses are kept: no tokens of other parties' clients are taken there. */
  readonly token: string | null;
}

/** What a document's name stands for. */
export type Target = { readonly note: NoteId } | { readonly vault: VaultId };

/** What the conversations work with. */
export interface Threshold {
  readonly limits: DoorLimits;
  /** What a token may do with a target. Rejects when that cannot be told. */
  decide(token: string, caller: Caller, target: Target): Promise<Decision>;
  /** Throws as LiveNotes.open does. */
  subscribe(client: { peer: Peer; outlet: SignalOutlet }, right: Right, target: Target): Promise<Subscription>;
  subscribeNote(client: { peer: Peer; outlet: Outlet }, right: Right, note: NoteId): Promise<Subscription>;
  /** Counts a socket as one of a user's; false when they have too many. Call `gone` once it is closed. */
  arrive(userId: UserId): boolean;
  gone(userId: UserId): void;
  /** Resolves when a refusal may be told: however it came about, it takes the same time. */
  refusalDue(): Promise<unknown>;
}
