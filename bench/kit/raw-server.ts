import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';

// The baseline: a bare route over node:sqlite, with one transaction per write, synced before the answer. No accounts,
// no sealing, no merging, no links.
const db = new DatabaseSync(join(process.cwd(), 'raw.sqlite'));
db.exec(
  'pragma journal_mode = wal; pragma synchronous = full; create table notes (path text primary key, content text, mtime real) strict',
);
const put = db.prepare(
  'insert into notes values (?, ?, ?) on conflict (path) do update set content = excluded.content, mtime = excluded.mtime',
);
const get = db.prepare('select path, content, mtime from notes where path = ?');

const app = Fastify();
app.post<{ Body: { path: string; content: string; mtime: number } }>('/api/notes', async ({ body }) => {
  put.run(body.path, body.content, body.mtime);
  return { note: body };
});
app.get<{ Params: { '*': string } }>('/api/notes/*', async ({ params }) => get.get(params['*']));
const url = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listens on ${url}\n`);
process.on('SIGTERM', () => app.close());
