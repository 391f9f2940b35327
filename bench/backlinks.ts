import { load } from './kit/load.ts';
import { startServer } from './kit/processes.ts';
import { inRounds, middleOf, ratioRow } from './kit/rounds.ts';
import { signUp } from './kit/vault.ts';

// What do the backlinks of a note with 200 inbound links cost in a vault of 10,000 links, compared with a note with
// one? What does a write of such a note cost, compared with one that nothing links to, in alternating rounds: an edit,
// and its creation, which resolves the links to its name?
const NOTES = 2500;
const LINKS_EACH = 4;
const HUB_LINKS = 200;
const READS = 2000;
const EDITS = 100;
const CREATIONS = 10;

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

const write = async (path: string, text: string) => {
  const [started, before] = [performance.now(), await server.cpu()];
  await load(server.url, headers, 1, 1, () => post(path, text));
  return { ms: performance.now() - started, cpu: (await server.cpu()) - before };
};
const remove = async (path: string) => {
  await fetch(`${server.url}/api/notes/${encodeURI(path)}`, { method: 'DELETE', headers });
};

interface Round {
  readonly hub: number;
  readonly alone: number;
  readonly cpuMs: number;
}

/** Writes the two notes in turn, and `after` each; times in ms a write. */
async function writesInTurn(count: number, after: (path: string) => Promise<void>): Promise<Round> {
  const ms = { hub: 0, alone: 0 };
  let cpu = 0;
  for (let index = 0; index < 2 * count; index++) {
    const name = index % 2 === 0 ? 'hub' : 'alone';
    const written = await write(`${name}.md`, `# ${Math.random()}\n`);
    ms[name] += written.ms / count;
    if (name === 'hub') cpu += written.cpu;
    await after(`${name}.md`);
  }
  return { ...ms, cpuMs: (1000 * cpu) / count };
}

async function compared(name: string, count: number, after: (path: string) => Promise<void>) {
  const { rounds } = await inRounds({ rounds: () => writesInTurn(count, after) });
  const [hub, alone] = [rounds.map((round) => round.hub), rounds.map((round) => round.alone)];
  const shown = (values: readonly number[]) => middleOf(values).toFixed(2);
  const times = { ms: shown(hub), 'without, ms': shown(alone), 'CPU ms': shown(rounds.map(({ cpuMs }) => cpuMs)) };
  return { ...ratioRow(name, hub, alone), ...times };
}

await write('alone.md', '# Alone\n');
const edits = await compared(`edit of a note that ${HUB_LINKS} notes link to`, EDITS, async () => {});
await Promise.all([remove('hub.md'), remove('alone.md')]);
console.table([edits, await compared('its creation', CREATIONS, remove)]);
