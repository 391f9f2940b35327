import type { UserId } from '@notevault/protocol/values/ids.ts';

/** The progress of a person's device in the change feed of a vault. */
export interface DeviceRow {
  vault_id: string;
  user_id: UserId;
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

/** DDL that adds a user to devices; before it, all devices belonged to the owner. */
export const devicesOfPeopleDdl = `
create table devices_of_people (
  vault_id uuid not null references vaults (id),
  user_id uuid not null references users (id) on delete cascade,
  device_key bytea not null,
  watermark bigint not null,
  seen_at bigint not null,
  primary key (vault_id, user_id, device_key)
);
insert into devices_of_people
  select d.vault_id, v.user_id, d.device_key, d.watermark, d.seen_at
  from sync_devices d join vaults v on v.id = d.vault_id;
drop table sync_devices;
alter table devices_of_people rename to sync_devices;
create index sync_devices_by_age on sync_devices (vault_id, seen_at);
create index sync_devices_of_user on sync_devices (user_id);
`;
