import { load, type Shot } from './kit/load.ts';
import { startPocketBase } from './kit/pocketbase.ts';
import { numberGiven, startServerOn } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { notePath, noteText } from './kit/texts.ts';
import { signUp } from './kit/vault.ts';

// How many notes of 2 KB are created, updated and read a second, and how many pages of 500, beside PocketBase, which
// neither seals nor syncs each write, and keeps no links, versions or search? `PEER_POCKETBASE` names its binary.
const CONNECTIONS = 32;
/** Number of notes. */
const NOTES = numberGiven(3000);
const PAGE = 500;
const PAGES = 100;
const NOTE_BYTES = 2048;

/** A server that runs, and the requests that it takes. */
interface Peer extends AsyncDisposable {
  readonly url: string;
  readonly headers: Record<string, string>;
  cpu(): Promise<number>;
  create(index: number, text: string): Shot;
  update(index: number, text: string): Shot;
  read(index: number): Shot;
  page(): Shot;
}

async function notevault(): Promise<Peer> {
  const server = await startServerOn(null);
  const upsert = (index: number, content: string) => ({
    ...{ method: 'POST', path: '/api/notes' },
    body: JSON.stringify({ path: notePath(index), content, mtime: 1767225600 }),
  });
  return {
    ...{ ...server, headers: await signUp(server.url), create: upsert, update: upsert },
    read: (index) => ({ method: 'GET', path: `/api/notes/${encodeURI(notePath(index))}` }),
    page: () => ({ method: 'GET', path: `/api/sync/changes?fields=all&limit=${PAGE}` }),
  };
}

async function pocketBase(binary: string): Promise<Peer> {
  const server = await startPocketBase(binary);
  const records = '/api/collections/notes/records';
  const idOf = (index: number) => `${index}`.padStart(15, '0');
  const bodyOf = (index: number, content: string) => ({ owner: server.owner, path: notePath(index), content });
  return {
    ...server,
    create: (index, text) => ({
      ...{ method: 'POST', path: records },
      body: JSON.stringify({ id: idOf(index), ...bodyOf(index, text) }),
    }),
    update: (index, text) => ({
      ...{ method: 'PATCH', path: `${records}/${idOf(index)}` },
      body: JSON.stringify(bodyOf(index, text)),
    }),
    read: (index) => ({ method: 'GET', path: `${records}/${idOf(index)}` }),
    page: () => ({ method: 'GET', path: `${records}?perPage=${PAGE}&skipTotal=1` }),
  };
}

async function measure(start: () => Promise<Peer>): Promise<Record<string, number>> {
  await using peer = await start();
  const figures: Record<string, number> = {};
  const run = async (name: string, count: number, shot: (index: number) => Shot) => {
    const [server, client] = [await peer.cpu(), process.cpuUsage()];
    const { perSecond } = await load(peer.url, peer.headers, CONNECTIONS, count, shot);
    const { user, system } = process.cpuUsage(client);
    figures[`${name}/s`] = perSecond;
    figures[`${name} µs`] = Math.round((((await peer.cpu()) - server) * 1e6) / count);
    figures[`${name} client µs`] = Math.round((user + system) / count);
  };
  const text = (index: number) => noteText(index, NOTE_BYTES);
  await load(peer.url, peer.headers, CONNECTIONS, PAGE, (index) => peer.create(1_000_000 + index, text(index)));
  await load(peer.url, peer.headers, CONNECTIONS, PAGES, () => peer.page());
  await run('create', NOTES, (index) => peer.create(index, text(index)));
  await run('update', NOTES, (index) => peer.update(index, `${text(index)} changed`));
  await run('read', 2 * NOTES, (index) => peer.read(index % NOTES));
  await run('page', PAGES, () => peer.page());
  return figures;
}

const binary = process.env.PEER_POCKETBASE ?? '';
if (binary === '') console.log('skipped: PEER_POCKETBASE does not name a PocketBase binary');
else {
  const { ours, theirs } = await inRounds({
    ours: () => measure(notevault),
    theirs: () => measure(() => pocketBase(binary)),
  });
  console.table([middleRow('notevault', ours), middleRow('PocketBase', theirs)]);
  console.log('of PocketBase');
  const columns = ['create', 'update', 'read', 'page'].flatMap((name) => [`${name}/s`, `${name} µs`]);
  console.table(ratioRows(columns, ours, theirs));
}
