import { type NoteId, parseUuid, type UserId, type VaultId } from '@notevault/protocol/values/ids.ts';
import { ChangeNotifier } from '../change-notifier.ts';
import type { CollaborationDeps } from './collaboration.deps.ts';
import type { Caller, Connection } from './connection.ts';
import { HocuspocusSession } from './hocuspocus.ts';
import { PermissionCache } from './permission-cache.ts';
import { PresenceRooms } from './presence-rooms.ts';
import type { Credential, SessionContext } from './session-context.ts';
import { NoteSubscription } from './subscription.ts';
import { VaultSubscription } from './vault-subscription.ts';
import { YWebsocketSession } from './y-websocket.ts';

export type { CollaborationDeps, CollaborationHooks } from './collaboration.deps.ts';

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
  readonly #sockets = new SocketCounts();
  readonly #context: SessionContext;
  readonly #subscriptions = new DisposableStack();

  constructor(deps: CollaborationDeps) {
    const { bus, clock } = deps;
    this.#deps = deps;
    this.#permissions = new PermissionCache(deps);
    this.#rooms = this.#subscriptions.use(new PresenceRooms(bus, clock.random(9).toString('base64url')));
    this.#notifier = this.#subscriptions.use(new ChangeNotifier(deps));
    this.#context = this.#createContext();
    this.#subscribe<{ u: UserId }>('credentials', ({ u }) => this.#permissions.userChanged(u));
    this.#subscribe<{ v: VaultId }>('closed', ({ v }) => this.#permissions.vaultChanged(v));
    this.#subscribe<{ v: VaultId; seq: number }>('vault', ({ v, seq }) => this.#notifier.changed(v, seq));
  }

  /** Opens a session for the Hocuspocus protocol: any number of documents per socket. */
  openHocuspocus(connection: Connection, caller: Caller): ProtocolSession {
    return new HocuspocusSession(this.#context, connection, caller);
  }

  /** Opens a session for the y-websocket protocol: one note per socket. */
  openYWebsocket(connection: Connection, caller: Caller, note: string, credential: Credential): ProtocolSession {
    return new YWebsocketSession(this.#context, connection, caller, parseUuid(note) as NoteId | null, credential);
  }

  /** Call when credentials of a user may have been revoked. */
  credentialsChanged(userId: UserId): void {
    this.#permissions.userChanged(userId);
    this.#deps.bus.publish('credentials', JSON.stringify({ u: userId }));
  }

  /** Call when a vault was deleted. */
  vaultClosed(vaultId: VaultId): void {
    this.#permissions.vaultDeleted(vaultId);
    this.#deps.bus.publish('closed', JSON.stringify({ v: vaultId }));
  }

  /** Call when a vault has reached a seq. */
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

  /** Returns what this process has open. */
  stats(): { sockets: number } {
    return { sockets: this.#sockets.total };
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }

  #subscribe<Message>(topic: string, notify: (message: Message) => void): void {
    this.#subscriptions.use(this.#deps.bus.subscribe(topic, (payload) => notify(JSON.parse(payload) as Message)));
  }

  #createContext(): SessionContext {
    const { limits, live, vaults, clock } = this.#deps;
    const [permissions, rooms, notifier, sockets] = [this.#permissions, this.#rooms, this.#notifier, this.#sockets];
    const noteDeps = { permissions, rooms, live };
    return {
      limits,
      decide: (token, caller, target) =>
        permissions.decide(token, caller, async () => ('vault' in target ? target.vault : live.vaultOf(target.note))),
      subscribe: ({ connection, writer }, permission, target) =>
        'vault' in target
          ? VaultSubscription.open({ permissions, rooms, notifier, vaults }, writer, permission)
          : NoteSubscription.open(noteDeps, { connection, writer }, permission, target.note),
      subscribeNote: (client, permission, id) => NoteSubscription.open(noteDeps, client, permission, id),
      addSocket: (userId) => sockets.add(userId, limits.socketsPerUser),
      removeSocket: (userId) => sockets.remove(userId),
      refusalDelay: () => new Promise((resolve) => clock.schedule(REFUSAL_MS, resolve)),
    };
  }
}

/** How many sockets each user has open. */
class SocketCounts {
  readonly #counts = new Map<UserId, number>();

  get total(): number {
    return this.#counts.values().reduce((sum, count) => sum + count, 0);
  }

  /** Returns false when the user has `max` already. */
  add(userId: UserId, max: number): boolean {
    const count = this.#counts.get(userId) ?? 0;
    if (count >= max) return false;
    this.#counts.set(userId, count + 1);
    return true;
  }

  remove(userId: UserId): void {
    const count = (this.#counts.get(userId) ?? 1) - 1;
    if (count === 0) this.#counts.delete(userId);
    else this.#counts.set(userId, count);
  }
}
