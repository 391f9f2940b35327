import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { Actor as ShownActor } from '@notevault/protocol/values/schemas.ts';
import type { Static } from 'typebox';
import type { ReadHandle } from '../../../ports/database/database.ts';
import { type OpenVault, roleOf } from '../../foundation/access/access.ts';
import * as store from './vaults.store.ts';
import type { VaultDeps } from './vaults.ts';

/** The stored author of a change: see `Actor` of the entries. */
interface StoredActor {
  readonly kind: string;
  readonly name: string;
  readonly client?: string;
  readonly userId?: string;
}

type Shown<Item> = Omit<Item, 'actor'> & { actor: Static<typeof ShownActor> };

export function createPeople({ db }: Pick<VaultDeps, 'db'>) {
  return {
    sealPersonName,
    /** Adds the author of each change: the caller's credential, only the name of any other person. */
    async withActors<Item extends { readonly actor: StoredActor }>(
      vault: OpenVault,
      items: readonly Item[],
      handle: Pick<ReadHandle, 'allMany'> = db,
    ): Promise<Shown<Item>[]> {
      const others = new Set(
        items.flatMap(({ actor: { userId } }) =>
          userId === undefined || userId === vault.callerId ? [] : [userId as UserId],
        ),
      );
      const rows = await handle.allMany(store.findPeople, { vault: vault.id }, [...others]);
      const names = new Map<string, string | null>();
      for (const { id, display_name, former_name, ...row } of rows) {
        if (roleOf({ userId: id }, row) !== null) names.set(id, display_name);
        else if (former_name !== null) names.set(id, openPersonName(vault, id, former_name));
      }
      return items.map((item) => ({ ...item, actor: shown(vault, item.actor, names) }));
    },
  };
}

/** Whether another person made a change. Changes without a user id are the first owner’s. */
function isOthers({ callerId, role, isHandedOver }: OpenVault, { userId }: StoredActor): boolean {
  return userId === undefined ? role !== 'owner' || isHandedOver === true : userId !== callerId;
}

function shown(vault: OpenVault, actor: StoredActor, names: ReadonlyMap<string, string | null>) {
  const { kind, client, userId } = actor;
  const person = userId === undefined ? {} : { user_id: userId };
  const program = client === undefined ? {} : { client };
  if (!isOthers(vault, actor)) return { kind, name: actor.name, ...program, ...person };
  return { kind, name: '', ...program, ...person, display_name: names.get(userId ?? '') ?? null };
}

type VaultWithKey = Pick<OpenVault, 'id' | 'key'>;

const contextOf = (vaultId: VaultId, userId: UserId) => ({
  kind: 'former_members.name',
  row: `${vaultId}.${userId}`,
  version: 0,
});

/** Seals the name that somebody had when they left a vault. */
function sealPersonName({ id, key }: VaultWithKey, userId: UserId, name: string): Buffer {
  return key.seal(contextOf(id, userId), Buffer.from(name));
}

function openPersonName({ id, key }: VaultWithKey, userId: UserId, sealed: Uint8Array): string {
  return key.open(contextOf(id, userId), sealed).toString();
}
