import type { Need } from '@notevault/protocol/operations.ts';
import { type NoteId, parseUuid, type Seq, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import type { Bus } from '../../../../ports/bus/bus.ts';
import type { Clock } from '../../../../ports/clock/clock.ts';
import type { LiveNotes } from '../../../content/notes/notes.ts';
import type { OpenVault } from '../../../content/vaults/vaults.ts';
import type { Principal } from '../../../foundation/access/access.ts';
import { ChangeNotifier } from '../change-notifier.ts';
import type { Caller, Connection } from './connection.ts';
import { HocuspocusSession } from './hocuspocus.ts';
import { type Permission, PermissionCache, type PermissionDecision } from './permission-cache.ts';
import { PresenceRooms } from './presence-rooms.ts';
import { NoteSubscription, type ProtocolWriter, type Subscription } from './subscription.ts';
import { VaultSubscription } from './vault-subscription.ts';
import { YWebsocketSession } from './y-websocket.ts';

/** The credential presented at the endpoint of one note. */
export interface Credential {
  /** The `Authorization` header; takes precedence when present. */
  readonly authorization: string | null;
  /** The token from the URL. URLs end up in logs, so tokens of third-party clients are not accepted there. */
  readonly token: string | null;
}

/** The target that a document's name refers to. */
export type Target = { readonly note: NoteId } | { readonly vault: VaultId };

/** Hooks to later domains; bound in app.ts. */
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
    changedRoles(held: readonly OpenVault[]): Promise<OpenVault[]>;
    changeSeqs(ids: readonly VaultId[]): Promise<ReadonlyMap<VaultId, Seq>>;
  };
  readonly limits: CollaborationLimits;
  readonly hooks: CollaborationHooks;
}

/** Handles the messages of one socket. None of its methods throws. */
export interface ProtocolSession {
  message(data: Uint8Array): void;
  ping(): void;
  closed(): void;
}

/** Every refusal takes this long, which is longer than any lookup: its time reveals nothing. */
const REFUSAL_MS = 100;

/** Live documents over sockets. */
export class Collaboration implements Disposable {
  readonly #deps: CollaborationDeps;
  readonly #permissions: PermissionCache;
  readonly #rooms: PresenceRooms;
  readonly #notifier: ChangeNotifier;
  readonly #sockets = new Map<UserId, number>();
  readonly #subscriptions = new DisposableStack();

  constructor(deps: CollaborationDeps) {
    const { bus, clock } = deps;
    this.#deps = deps;
    this.#permissions = new PermissionCache(deps);
    this.#rooms = this.#subscriptions.use(new PresenceRooms(bus, clock.random(9).toString('base64url')));
    this.#notifier = this.#subscriptions.use(new ChangeNotifier(deps));
    this.#subscriptions.use(bus.onMissed(() => this.#permissions.hintsMissed()));
    this.#subscribe<{ u: UserId }>('credentials', ({ u }) => this.#permissions.userChanged(u));
    this.#subscribe<{ v: VaultId }>('closed', ({ v }) => this.#permissions.vaultChanged(v));
    this.#subscribe<{ v: VaultId }>('people', ({ v }) => this.#notifier.repeat(v));
    this.#subscribe<{ v: VaultId; seq: number }>('vault', ({ v, seq }) => this.#notifier.changed(v, seq));
  }

  get limits(): CollaborationLimits {
    return this.#deps.limits;
  }

  /** Opens a session for the Hocuspocus protocol: any number of documents per socket. */
  openHocuspocus(connection: Connection, caller: Caller): ProtocolSession {
    return new HocuspocusSession(this, connection, caller);
  }

  /** Opens a session for the y-websocket protocol: one note per socket. */
  openYWebsocket(connection: Connection, caller: Caller, note: string, credential: Credential): ProtocolSession {
    return new YWebsocketSession(this, connection, caller, parseUuid(note) as NoteId | null, credential);
  }

  /** Decides what a token may do with a target. Rejects when this cannot be checked. */
  decide(token: string, caller: Caller, target: Target): Promise<PermissionDecision> {
    const vaultOf = async () => ('vault' in target ? target.vault : this.#deps.live.vaultOf(target.note));
    return this.#permissions.decide(token, caller, vaultOf);
  }

  /** Opens a document for a client. Throws the errors of LiveNotes.open. */
  subscribe(
    client: { readonly connection: Connection; readonly writer: ProtocolWriter },
    permission: Permission,
    target: Target,
  ): Promise<Subscription> {
    const { live, vaults } = this.#deps;
    const [permissions, rooms, notifier] = [this.#permissions, this.#rooms, this.#notifier];
    return 'vault' in target
      ? VaultSubscription.open({ permissions, rooms, notifier, vaults }, client.writer, permission)
      : NoteSubscription.open({ permissions, rooms, live }, client, permission, target.note);
  }

  /** Counts a socket of a user; returns false over the limit. Call `removeSocket` once it is closed. */
  addSocket(userId: UserId): boolean {
    const count = this.#sockets.get(userId) ?? 0;
    if (count >= this.limits.socketsPerUser) return false;
    this.#sockets.set(userId, count + 1);
    return true;
  }

  removeSocket(userId: UserId): void {
    const count = (this.#sockets.get(userId) ?? 1) - 1;
    if (count === 0) this.#sockets.delete(userId);
    else this.#sockets.set(userId, count);
  }

  /** Resolves when a refusal may be sent. */
  refusalDelay(): Promise<void> {
    return new Promise((resolve) => this.#deps.clock.schedule(REFUSAL_MS, resolve));
  }

  /** Call when credentials of a user may have been revoked. */
  credentialsChanged(userId: UserId): void {
    this.#permissions.userChanged(userId);
    this.#deps.bus.publish('credentials', JSON.stringify({ u: userId }));
  }

  vaultClosed(vaultId: VaultId): void {
    this.#permissions.vaultDeleted(vaultId);
    this.#deps.bus.publish('closed', JSON.stringify({ v: vaultId }));
  }

  /** Call when the members of a vault, or their roles, have changed: clients read them again. */
  peopleChanged(vaultId: VaultId): void {
    this.#notifier.repeat(vaultId);
    this.#deps.bus.publish('people', JSON.stringify({ v: vaultId }));
  }

  vaultChanged(vaultId: VaultId, changeSeq: number): void {
    this.#notifier.changed(vaultId, changeSeq);
    this.#deps.bus.publish('vault', JSON.stringify({ v: vaultId, seq: changeSeq }));
  }

  /** Call once a second. */
  tick(): void {
    this.#permissions.sweep();
    this.#rooms.sweep();
    this.#notifier.sweep();
  }

  stats(): { sockets: number } {
    return { sockets: this.#sockets.values().reduce((sum, count) => sum + count, 0) };
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  #subscribe<Message>(topic: string, notify: (message: Message) => void): void {
    this.#subscriptions.use(this.#deps.bus.subscribe(topic, (payload) => notify(JSON.parse(payload) as Message)));
  }
}
