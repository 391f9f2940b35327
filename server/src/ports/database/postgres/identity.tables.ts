/** The one row that names the server whose data this is. */
export interface ServerIdentityRow {
  /** Always 1. */
  id: number;
  /** The system identifier and the timeline of the server that was last written to. */
  identity: string;
}

export interface ServerIdentityTables {
  server_identity: ServerIdentityRow;
}

/** Stays empty on SQLite. */
export const serverIdentityDdl = `
create table server_identity (
  id bigint primary key check (id = 1),
  identity text not null
);
`;
