import { load } from './kit/load.ts';
import { startServer } from './kit/processes.ts';
import { signUp } from './kit/vault.ts';

// What do the backlinks of a note with 200 inbound links cost in a vault of 10,000 links, compared with a note with
// one?
const NOTES = 2500;
const LINKS_EACH = 4;
const HUB_LINKS = 200;
const READS = 2000;

await using server = await startServer();
const headers = await signUp(server.url);
const content = (index: number) => {
  const links = Array.from({ length: LINKS_EACH }, (_, at) => `[[note ${(index * LINKS_EACH + at + 1) % NOTES}]]`);
  return `${index < HUB_LINKS ? '[[hub]] ' : ''}${links.join(' ')}\n`;
};
const post = (path: string, text: string) => ({
  method: 'POST',
  path: '/api/notes',
  body: JSON.stringify({ path, content: text, mtime: 1 }),
});
await load(server.url, headers, 32, NOTES, (index) => post(`n/note ${index}.md`, content(index)));
const idOf = async (path: string) => {
  const answer = await fetch(`${server.url}/api/notes/${encodeURI(path)}`, { headers });
  return ((await answer.json()) as { id: string }).id;
};
await load(server.url, headers, 1, 1, () => post('hub.md', '# Hub\n'));
const hub = await idOf('hub.md');
const leaf = await idOf('n/note 3.md');

const measure = async (name: string, id: string) => {
  const found = await fetch(`${server.url}/api/notes/by-id/${id}/backlinks`, { headers });
  const { backlinks } = (await found.json()) as { backlinks: unknown[] };
  const before = await server.cpu();
  const { perSecond, p50Ms } = await load(server.url, headers, 8, READS, () => ({
    method: 'GET',
    path: `/api/notes/by-id/${id}/backlinks`,
  }));
  const cpu = Math.round((((await server.cpu()) - before) * 1e6) / READS);
  return { '': name, backlinks: backlinks.length, 'reads/s': perSecond, 'CPU µs each': cpu, 'p50 ms': p50Ms };
};
console.table([await measure('hub', hub), await measure('leaf', leaf)]);
