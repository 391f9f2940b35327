import type { AddressInfo } from 'node:net';
import { Server } from '@hocuspocus/server';

// The server to compare with: documents in memory, never stored, opened with any token.
const server = new Server({ address: '127.0.0.1', port: 0, quiet: true });
await server.listen();
const { port } = server.httpServer.address() as AddressInfo;
process.stdout.write(`listens on http://127.0.0.1:${port}\n`);
