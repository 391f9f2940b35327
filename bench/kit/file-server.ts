import { createReadStream, createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

// The baseline of plain Node: a PUT writes a file and syncs it before the answer, a GET reads it; nothing is sealed or
// checked.
const folder = process.env.NOTEVAULT_DATA_DIR ?? '.';
const server = createServer(async (request, response) => {
  const file = join(folder, basename(new URL(request.url ?? '/', 'http://a').pathname));
  if (request.method === 'PUT') {
    await pipeline(request, createWriteStream(file, { flush: true }));
    response.end();
  } else await pipeline(createReadStream(file), response);
});
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
