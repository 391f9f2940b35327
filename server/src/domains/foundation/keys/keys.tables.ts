/** A wrapped data key of the server, a user or a vault. It is the only copy: without it their data cannot be opened. */
export interface DataKeyRow {
  /** `server`, `user` or `vault`. */
  owner_kind: string;
  /** The owner's id; the nil UUID for the server. */
  owner_id: string;
  master_key_id: string;
  /** IV, ciphertext, tag. */
  wrapped: Buffer;
  /** Number of seals granted to processes, in blocks; it determines the generation of new seals. */
  seals_granted: number;
}

export interface KeysTables {
  data_keys: DataKeyRow;
}

// A separate table, so that a purge destroys keys without touching other rows, and secure deletion stays cheap.
export const keysDdl = `
create table data_keys (
  owner_kind text not null,
  owner_id uuid not null,
  master_key_id text not null,
  wrapped bytea not null,
  seals_granted bigint not null,
  primary key (owner_kind, owner_id)
);
`;
