import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { SyncTables } from './sync.tables.ts';

const { statement } = statementsOver<SyncTables>();

interface DeviceKey {
  readonly vault: VaultId;
  readonly user: UserId;
  readonly device: Buffer;
}

export const findDevice = statement((db, p: DeviceKey) =>
  db
    .selectFrom('sync_devices')
    .select(['watermark', 'seen_at'])
    .where('vault_id', '=', p.vault)
    .where('user_id', '=', p.user)
    .where('device_key', '=', p.device),
);

export const putDevice = statement((db, p: DeviceKey & { watermark: number; now: number }) =>
  db
    .insertInto('sync_devices')
    .values({ vault_id: p.vault, user_id: p.user, device_key: p.device, watermark: p.watermark, seen_at: p.now })
    .onConflict((conflict) =>
      conflict.columns(['vault_id', 'user_id', 'device_key']).doUpdateSet({ watermark: p.watermark, seen_at: p.now }),
    ),
);

/** The devices of a person beyond the newest `kept`, which are to be deleted. */
export const findOldDevices = statement((db, p: { vault: VaultId; user: UserId; kept: number }) =>
  db
    .selectFrom('sync_devices')
    .select('device_key')
    .where('vault_id', '=', p.vault)
    .where('user_id', '=', p.user)
    .orderBy('seen_at', 'desc')
    .orderBy('device_key')
    .limit(100)
    .offset(p.kept),
);

export const deleteDevice = statement((db, p: DeviceKey) =>
  db
    .deleteFrom('sync_devices')
    .where('vault_id', '=', p.vault)
    .where('user_id', '=', p.user)
    .where('device_key', '=', p.device),
);

/** Deletes what is known of the devices of a person. */
export const deleteDevicesOf = statement((db, p: { vault: VaultId; user: UserId }) =>
  db.deleteFrom('sync_devices').where('vault_id', '=', p.vault).where('user_id', '=', p.user),
);

/** The lowest watermark of the devices seen since a time; null when there are none. */
export const findLowestWatermark = statement((db, p: { vault: VaultId; since: number }) =>
  db
    .selectFrom('sync_devices')
    .select((eb) => eb.fn.min<number | null>('watermark').as('watermark'))
    .where('vault_id', '=', p.vault)
    .where('seen_at', '>=', p.since),
);

export const purgeDevices = statement((db, p: { vault: VaultId }) =>
  db.deleteFrom('sync_devices').where('vault_id', '=', p.vault),
);
