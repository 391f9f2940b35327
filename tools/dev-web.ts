import { join } from 'node:path';
import { createServer } from 'vite';
import { webConfig } from './web-config.ts';

// `npm run dev:web`: serves the web app with replaced modules, beside a server that `npm run dev` started.
const target = 'http://127.0.0.1:4100';
const server = await createServer({
  ...webConfig(join(import.meta.dirname, '..')),
  server: { port: 4101, strictPort: true, proxy: { '/api': { target, ws: true, changeOrigin: true } } },
});
await server.listen();
server.printUrls();
