import { setTimeout as delay } from 'node:timers/promises';
import { type NoteId, parseUuid, type UserId, type VaultId } from '@notevault/protocol/ids.ts';
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

/** Live documents over sockets. */
export interface Collaboration extends Disposable {
  /** Opens a session for the Hocuspocus protocol: any number of documents per socket. */
  openHocuspocus(connection: Connection, caller: Caller): ProtocolSession;
  /** Opens a session for the y-websocket protocol: one note per socket. */
  openYWebsocket(connection: Connection, caller: Caller, note: string, credential: Credential): ProtocolSession;
  /** Call when credentials of a user may have been revoked. */
  credentialsChanged(userId: UserId): void;
  /** Call when a vault was deleted. */
  vaultClosed(vaultId: VaultId): void;
  /** Call when a vault has reached a seq. */
  vaultChanged(vaultId: VaultId, changeSeq: number): void;
  /** Call once a second. */
  tick(): void;
  /** Returns what this process has open. */
  stats(): { sockets: number };
}

/** Every refusal takes this long, which is longer than any lookup: its time reveals nothing. */
const REFUSAL_MS = 100;

export function createCollaboration(deps: CollaborationDeps): Collaboration {
  const { bus, clock, limits, live, vaults } = deps;
  const permissions = new PermissionCache(deps);
  const rooms = new PresenceRooms(bus, clock.random(9).toString('base64url'));
  const notifier = new ChangeNotifier(deps);
  const sockets = new Map<UserId, number>();
  const subscriptions = new DisposableStack();
  subscriptions.use(rooms);
  subscriptions.use(notifier);
  const subscribe = (topic: string, key: 'u' | 'v', notify: (id: never) => void) =>
    subscriptions.use(
      bus.subscribe(topic, (payload) => notify((JSON.parse(payload) as Record<string, string>)[key] as never)),
    );
  subscribe('credentials', 'u', (id: UserId) => permissions.userChanged(id));
  subscribe('closed', 'v', (id: VaultId) => permissions.vaultChanged(id));
  subscriptions.use(
    bus.subscribe('vault', (payload) => {
      const { v, seq } = JSON.parse(payload) as { v: VaultId; seq: number };
      notifier.changed(v, seq);
    }),
  );

  const noteDeps = { permissions, rooms, live };
  const context: SessionContext = {
    limits,
    decide: (token, caller, target) =>
      permissions.decide(token, caller, async () => ('vault' in target ? target.vault : live.vaultOf(target.note))),
    subscribe: ({ connection, writer }, permission, target) =>
      'vault' in target
        ? VaultSubscription.open({ permissions, rooms, notifier, vaults }, writer, permission)
        : NoteSubscription.open(noteDeps, { connection, writer }, permission, target.note),
    subscribeNote: (client, permission, id) => NoteSubscription.open(noteDeps, client, permission, id),
    addSocket(userId) {
      const count = sockets.get(userId) ?? 0;
      if (count >= limits.socketsPerUser) return false;
      sockets.set(userId, count + 1);
      return true;
    },
    removeSocket(userId) {
      const count = (sockets.get(userId) ?? 1) - 1;
      if (count === 0) sockets.delete(userId);
      else sockets.set(userId, count);
    },
    refusalDelay: () => delay(REFUSAL_MS, undefined, { ref: false }),
  };
  return {
    openHocuspocus: (connection, caller) => new HocuspocusSession(context, connection, caller),
    openYWebsocket: (connection, caller, id, credential) =>
      new YWebsocketSession(context, connection, caller, parseUuid(id) as NoteId | null, credential),
    credentialsChanged(userId) {
      permissions.userChanged(userId);
      bus.publish('credentials', JSON.stringify({ u: userId }));
    },
    vaultClosed(vaultId) {
      permissions.vaultDeleted(vaultId);
      bus.publish('closed', JSON.stringify({ v: vaultId }));
    },
    vaultChanged(vaultId, changeSeq) {
      notifier.changed(vaultId, changeSeq);
      bus.publish('vault', JSON.stringify({ v: vaultId, seq: changeSeq }));
    },
    tick() {
      permissions.sweep();
      rooms.sweep();
      notifier.sweep();
    },
    stats: () => ({ sockets: sockets.values().reduce((sum, count) => sum + count, 0) }),
    [Symbol.dispose]: () => subscriptions.dispose(),
  };
}
