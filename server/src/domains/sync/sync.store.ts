import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { statementsOver } from '../../ports/database/statement.ts';
import type { SyncTables } from './sync.tables.ts';

const { statement } = statementsOver<SyncTables>();

export const findDevice = statement((db, p: { vault: VaultId; device: Buffer }) =>
  db
    .selectFrom('sync_devices')
    .select(['watermark', 'seen_at'])
    .where('vault_id', '=', p.vault)
    .where('device_key', '=', p.device),
);

export const putDevice = statement((db, p: { vault: VaultId; device: Buffer; watermark: number; now: number }) =>
  db
    .insertInto('sync_devices')
    .values({ vault_id: p.vault, device_key: p.device, watermark: p.watermark, seen_at: p.now })
    .onConflict((conflict) =>
      conflict.columns(['vault_id', 'device_key']).doUpdateSet({ watermark: p.watermark, seen_at: p.now }),
    ),
);

/** The devices beyond the newest `kept`, which are to be deleted. */
export const findOldDevices = statement((db, p: { vault: VaultId; kept: number }) =>
  db
    .selectFrom('sync_devices')
    .select('device_key')
    .where('vault_id', '=', p.vault)
    .orderBy('seen_at', 'desc')
    .orderBy('device_key')
    .limit(100)
    .offset(p.kept),
);

export const deleteDevice = statement((db, p: { vault: VaultId; device: Buffer }) =>
  db.deleteFrom('sync_devices').where('vault_id', '=', p.vault).where('device_key', '=', p.device),
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
