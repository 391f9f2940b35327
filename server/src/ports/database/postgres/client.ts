import { Client, type ClientConfig } from 'pg';

/** Opens a connection beside those of the pool; the caller ends it. */
export async function connect(config: ClientConfig): Promise<Client & AsyncDisposable> {
  const client = new Client(config);
  // A broken connection also rejects what waits for it.
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
