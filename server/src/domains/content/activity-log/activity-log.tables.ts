/** Changes by a request, or by the flush of one person’s edits, in a vault. Rows are appended and kept for 90 days. */
export interface ActivityRow {
  vault_id: string;
  /** UUIDv7: later rows have greater ids. */
  id: string;
  /** The activity item: the id of its first row, of the import, or of the undo. */
  item: string;
  /** Blind index of the person, credential and program whose next write continues the item; null for no further write. */
  stretch: Buffer | null;
  /** Blind index of the person’s id; null for nobody. */
  person: Buffer | null;
  action: string;
  /** The number of changes in the item up to this row. */
  count: number;
  /** Epoch milliseconds. */
  at: number;
  /** Sealed JSON: the actor and the changes. */
  data: Buffer;
}

export interface ActivityTables {
  activity: ActivityRow;
}

export const activityDdl = `
create table activity (
  vault_id uuid not null references vaults (id),
  id uuid not null,
  item uuid not null,
  stretch bytea,
  person bytea,
  action text not null,
  count bigint not null,
  at bigint not null,
  data bytea not null,
  primary key (vault_id, id)
);
create index activity_by_item on activity (vault_id, item, id);
create index activity_by_stretch on activity (vault_id, stretch, at) where stretch is not null;
create index activity_by_age on activity (at);
`;
