import { setTimeout as delay } from 'node:timers/promises';
import { type NoteId, parseUuid, type UserId, type VaultId } from '@notevault/protocol/ids.ts';
import { Authority } from './authority.ts';
import type { DoorParts } from './door-parts.ts';
import { HocuspocusConversation } from './hocuspocus.ts';
import type { Caller, Peer } from './peer.ts';
import { PlainConversation } from './plain.ts';
import { Rooms } from './rooms.ts';
import { Signals } from './signals.ts';
import { NoteSubscription } from './subscription.ts';
import type { Credential, Threshold } from './threshold.ts';
import { VaultSubscription } from './vault-subscription.ts';

export type { DoorHooks, DoorParts } from './door-parts.ts';

/** What a door makes of a socket's messages. Nothing of it throws. */
export interface Conversation {
  message(data: Uint8Array): void;
  ping(): void;
  closed(): void;
}

/** Live documents over sockets. */
export interface Doors extends Disposable {
  /** A socket that speaks as the Hocuspocus provider does: any number of documents. */
  openMany(peer: Peer, caller: Caller): Conversation;
  /** A socket that speaks as y-websocket does: one note. */
  openOne(peer: Peer, caller: Caller, note: string, credential: Credential): Conversation;
  /** Some credentials of a user may have stopped working. */
  credentialsChanged(userId: UserId): void;
  /** A vault was deleted. */
  vaultClosed(vaultId: VaultId): void;
  /** A vault has come to this seq. */
  vaultChanged(vaultId: VaultId, changeSeq: number): void;
  /** Once a second. */
  tick(): void;
  /** What this process has open. */
  figures(): { sockets: number };
}

/** Longer than finding out takes, whatever there is to find. */
const REFUSAL_MS = 100;

export function createDoors(parts: DoorParts): Doors {
  const { bus, clock, limits, live, vaults } = parts;
  const authority = new Authority(parts);
  const rooms = new Rooms(bus, clock.random(9).toString('base64url'));
  const signals = new Signals(parts);
  const sockets = new Map<UserId, number>();
  const hearing = new DisposableStack();
  hearing.use(rooms);
  hearing.use(signals);
  const hear = (topic: string, key: 'u' | 'v', tell: (id: never) => void) =>
    hearing.use(bus.subscribe(topic, (payload) => tell((JSON.parse(payload) as Record<string, string>)[key] as never)));
  hear('credentials', 'u', (id: UserId) => authority.userChanged(id));
  hear('closed', 'v', (id: VaultId) => authority.vaultChanged(id));
  hearing.use(
    bus.subscribe('vault', (payload) => {
      const { v, seq } = JSON.parse(payload) as { v: VaultId; seq: number };
      signals.changed(v, seq);
    }),
  );

  const note = { authority, rooms, live };
  const threshold: Threshold = {
    limits,
    decide: (token, caller, target) =>
      authority.decide(token, caller, async () => ('vault' in target ? target.vault : live.vaultOf(target.note))),
    subscribe: ({ peer, outlet }, right, target) =>
      'vault' in target
        ? VaultSubscription.open({ authority, rooms, signals, vaults }, outlet, right)
        : NoteSubscription.open(note, { peer, outlet }, right, target.note),
    subscribeNote: (client, right, id) => NoteSubscription.open(note, client, right, id),
    arrive(userId) {
      const count = sockets.get(userId) ?? 0;
      if (count >= limits.socketsPerUser) return false;
      sockets.set(userId, count + 1);
      return true;
    },
    gone(userId) {
      const count = (sockets.get(userId) ?? 1) - 1;
      if (count === 0) sockets.delete(userId);
      else sockets.set(userId, count);
    },
    refusalDue: () => delay(REFUSAL_MS, undefined, { ref: false }),
  };
  return {
    openMany: (peer, caller) => new HocuspocusConversation(threshold, peer, caller),
    openOne: (peer, caller, id, credential) =>
      new PlainConversation(threshold, peer, caller, parseUuid(id) as NoteId | null, credential),
    credentialsChanged(userId) {
      authority.userChanged(userId);
      bus.publish('credentials', JSON.stringify({ u: userId }));
    },
    vaultClosed(vaultId) {
      authority.vaultGone(vaultId);
      bus.publish('closed', JSON.stringify({ v: vaultId }));
    },
    vaultChanged(vaultId, changeSeq) {
      signals.changed(vaultId, changeSeq);
      bus.publish('vault', JSON.stringify({ v: vaultId, seq: changeSeq }));
    },
    tick() {
      authority.sweep();
      rooms.sweep();
      signals.sweep();
    },
    figures: () => ({ sockets: sockets.values().reduce((sum, count) => sum + count, 0) }),
    [Symbol.dispose]: () => hearing.dispose(),
  };
}
