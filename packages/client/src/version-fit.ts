import { CLIENT_LEVEL, type ServerVersion } from '@notevault/protocol/client-level.ts';
import type { Transport } from './transport.ts';

/** Client and server do not fit: one of them has to be updated. */
export class VersionMisfit extends Error {
  override readonly name = 'VersionMisfit';
  /** The side that is too old. */
  readonly older: 'server' | 'client';
  readonly serverVersion: string;

  constructor(older: 'server' | 'client', serverVersion: string) {
    super(
      older === 'server'
        ? `the server has version ${serverVersion}, which is too old for this client: update the server`
        : `this client is too old for version ${serverVersion} of the server: update the client`,
    );
    this.older = older;
    this.serverVersion = serverVersion;
  }
}

/** Throws VersionMisfit, ApiError, ConnectionError. @param level of the client */
export async function requireFit(transport: Transport, level = CLIENT_LEVEL): Promise<void> {
  const {
    version,
    client_level: highest = 0,
    oldest_client_level: lowest = 0,
  } = await transport.json<ServerVersion>({ method: 'GET', path: '/health' });
  if (level > highest) throw new VersionMisfit('server', version);
  if (level < lowest) throw new VersionMisfit('client', version);
}
