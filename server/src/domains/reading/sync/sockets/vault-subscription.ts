import type { Message } from '@notevault/protocol/socket-frames.ts';
import type { Seq } from '@notevault/protocol/values/ids.ts';
import type { ChangeNotifier } from '../change-notifier.ts';
import { readStates, writeStates } from './awareness.ts';
import type { CollaborationDeps } from './collaboration.ts';
import type { Lost, Permission, PermissionCache, PermissionListener } from './permission-cache.ts';
import type { PresenceRoom, PresenceRooms } from './presence-rooms.ts';
import type { ProtocolWriter, Subscription } from './subscription.ts';

/** A Yjs update (v1) without structs and deletions, then a state vector without clients. */
const EMPTY_UPDATE = Uint8Array.of(0, 0);
const EMPTY_VECTOR = Uint8Array.of(0);

interface VaultSubscriptionDeps {
  readonly permissions: PermissionCache;
  readonly rooms: PresenceRooms;
  readonly notifier: ChangeNotifier;
  readonly vaults: CollaborationDeps['vaults'];
}

/** The document of a vault: it is always empty, and tells its subscribers when something in the vault has changed. */
export class VaultSubscription implements Subscription, PermissionListener {
  readonly #permissions: PermissionCache;
  readonly #writer: ProtocolWriter;
  readonly #room: PresenceRoom;
  #permission: Permission;
  #changes: Disposable | undefined;
  #closed = false;
  #hasPublished = false;

  private constructor(deps: VaultSubscriptionDeps, writer: ProtocolWriter, permission: Permission) {
    this.#permissions = deps.permissions;
    this.#writer = writer;
    this.#permission = deps.permissions.join(permission, this);
    this.#room = deps.rooms.join(`vault:${permission.vault.id}`, permission.vault, this);
  }

  /** Rejects when the vault's seq cannot be read now. */
  static async open(deps: VaultSubscriptionDeps, writer: ProtocolWriter, permission: Permission) {
    const { id } = permission.vault;
    const seqOf = async () => (await deps.vaults.changeSeqs([id])).get(id) ?? (0 as Seq);
    const known = await seqOf();
    const subscription = new VaultSubscription(deps, writer, permission);
    subscription.#changes = deps.notifier.subscribe(id, known, (seq) => writer.changeHint('changed', seq));
    try {
      // Reports changes made before the subscription.
      deps.notifier.changed(id, await seqOf());
    } catch (error) {
      subscription.leave();
      throw error;
    }
    if (subscription.#closed) subscription.#changes[Symbol.dispose]();
    else subscription.#begin(known);
    return subscription;
  }

  #begin(known: Seq): void {
    this.#writer.scope('readonly');
    this.#writer.changeHint('current', known);
    const present = this.#room.presence.states();
    if (present.length > 0) this.#writer.awareness(writeStates(present));
  }

  handle(message: Message): void {
    if (this.#closed) return;
    switch (message.kind) {
      case 'step1':
        this.#writer.state(EMPTY_UPDATE);
        this.#writer.request(EMPTY_VECTOR);
        return;
      case 'step2':
      case 'update':
        this.#writer.acknowledge(isEmpty(message.update) ? null : 'read_only');
        return;
      case 'awareness':
        this.#receive(message.update);
        return;
      case 'query':
        this.#writer.awareness(writeStates(this.#room.presence.states()));
        return;
      default:
    }
  }

  changePermission(permission: Permission): void {
    this.#permissions.release(this.#permission, this);
    this.#permission = this.#permissions.join(permission, this);
    this.#writer.scope('readonly');
  }

  awareness(update: Uint8Array): void {
    if (!this.#closed) this.#writer.awareness(update);
  }

  revoked(lost: Lost): void {
    if (this.#closed) return;
    this.leave();
    this.#writer.close(lost === 'vault' ? 'removed' : 'revoked');
  }

  permissionChanged(): void {
    // The document is read-only for every permission.
  }

  leave(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#changes?.[Symbol.dispose]();
    this.#room.leave(this);
    this.#permissions.release(this.#permission, this);
  }

  #receive(update: Uint8Array): void {
    const states = readStates(update);
    if (states === null) return;
    this.#room.publish(this, states, this.#permission.principal, !this.#hasPublished);
    this.#hasPublished = true;
  }
}

function isEmpty(update: Uint8Array): boolean {
  return update.length === EMPTY_UPDATE.length && update.every((byte) => byte === 0);
}
