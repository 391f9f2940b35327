import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../../ports/database/statement.ts';
import type { SyncTables } from './sync.tables.ts';

const { statement, table } = statementsOver<SyncTables>();
const devices = table('sync_devices');
const KEY = ['vault_id', 'user_id', 'device_key'] as const;

export const findDevice = devices.find(KEY, ['watermark', 'seen_at']);

export const putDevice = devices.put(KEY, ['watermark', 'seen_at']);

/** The devices of a person beyond the newest `kept`, which are to be deleted. */
export const findOldDevices = statement((db, p: { vault_id: VaultId; user_id: UserId; kept: number }) =>
  db
    .selectFrom('sync_devices')
    .select('device_key')
    .where('vault_id', '=', p.vault_id)
    .where('user_id', '=', p.user_id)
    .orderBy('seen_at', 'desc')
    .orderBy('device_key')
    .limit(100)
    .offset(p.kept),
);

export const deleteDevice = devices.delete(...KEY);

export const deleteDevicesOf = devices.delete('vault_id', 'user_id');

/** The lowest watermark of the devices seen since a time; null when there are none. */
export const findLowestWatermark = statement((db, p: { vault: VaultId; since: number }) =>
  db
    .selectFrom('sync_devices')
    .select((eb) => eb.fn.min<number | null>('watermark').as('watermark'))
    .where('vault_id', '=', p.vault)
    .where('seen_at', '>=', p.since),
);

export const purgeDevices = devices.delete('vault_id');
