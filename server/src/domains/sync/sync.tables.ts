/** How far a device has followed a vault. */
export interface DeviceRow {
  vault_id: string;
  /** Blind index of the id that the device chose. */
  device_key: Buffer;
  /** Every change up to this seq is stored on the device. */
  watermark: number;
  /** When it last sent a cursor, in epoch milliseconds, accurate to an hour. */
  seen_at: number;
}

export interface SyncTables {
  sync_devices: DeviceRow;
}

export const syncDdl = `
create table sync_devices (
  vault_id uuid not null references vaults (id),
  device_key bytea not null,
  watermark bigint not null,
  seen_at bigint not null,
  primary key (vault_id, device_key)
);
create index sync_devices_by_age on sync_devices (vault_id, seen_at);
`;
