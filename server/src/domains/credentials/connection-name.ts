import type { SealingKey } from '../../ports/keyring/keyring.ts';

/** Which connection a name is of. */
interface NamedRow {
  readonly userId: string;
  readonly id: string;
}

const contextOf = ({ userId, id }: NamedRow) => ({ kind: 'connections.name', row: `${userId}.${id}`, version: 0 });

/** What people call a connection, sealed under the server's key: the name of a device often is that of its owner. */
export function sealName(server: SealingKey, connection: NamedRow, name: string): Buffer {
  return server.seal(contextOf(connection), Buffer.from(name));
}

/** The name; empty for a connection that was revoked. Throws KeyringError `damaged_value`. */
export function openName(server: SealingKey, connection: NamedRow, sealed: Buffer | null): string {
  return sealed === null ? '' : server.open(contextOf(connection), sealed).toString();
}
