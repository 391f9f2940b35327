import type { SealingKey } from '../../ports/keyring/keyring.ts';

interface NamedRow {
  readonly userId: string;
  readonly id: string;
}

const contextOf = ({ userId, id }: NamedRow) => ({ kind: 'connections.name', row: `${userId}.${id}`, version: 0 });

/** Seals the name of a connection under the server's key, because the name of a device is often that of its owner. */
export function sealName(server: SealingKey, connection: NamedRow, name: string): Buffer {
  return server.seal(contextOf(connection), Buffer.from(name));
}

/** Opens the name; empty for a revoked connection. Throws KeyringError `damaged_value`. */
export function openName(server: SealingKey, connection: NamedRow, sealed: Buffer | null): string {
  return sealed === null ? '' : server.open(contextOf(connection), sealed).toString();
}
