import { setTimeout as delay } from 'node:timers/promises';
import * as decoding from 'lib0/decoding';
import * as Y from 'yjs';
import { kinds, message } from '../server/test/kit/clients/raw-socket.ts';
import { type Collected, numberGiven, startServer } from './kit/processes.ts';
import { SocketClient } from './kit/socket-client.ts';
import { signUp } from './kit/vault.ts';

// What do open sockets and documents cost, is their memory returned when they close, and who owns the memory that
// remains?
const SOCKETS = numberGiven(5000);
const DOCUMENTS = 10_000;
/** Sockets opened at once, and documents open at once. */
const AT_ONCE = 100;
const BATCH = 100;
/** Memory counts as stable after this many samples without work and without a decrease. */
const STANDING = 20;
const LOOK_MS = 3000;
const LOOKS = 200;
/** A process that uses less processor time than this between two samples is idle; the probes alone use some. */
const WORK_SECONDS = 0.4;

const limits = { NOTEVAULT_SOCKETS_PER_USER: '100000', NOTEVAULT_DOCUMENTS_PER_SOCKET: '100000' };
await using server = await startServer(limits);
const headers = await signUp(server.url);
const token = (headers.authorization ?? '').slice('Bearer '.length);
const vault = headers['x-vault-id'] ?? '';

/** Runs `work` for each number, at most `atOnce` in parallel. */
async function each(count: number, atOnce: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const hand = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, hand));
}

/**
 * Memory once it is stable. Edits are flushed, indexed and embedded in the background; about 20 seconds after the last
 * of that, V8 releases unused memory, and once a minute the database unmaps pages. Garbage is collected only at the
 * end, because a collection would delay the release.
 */
async function atRest(): Promise<Collected> {
  let lowest = Number.POSITIVE_INFINITY;
  let cpu = await server.cpu();
  for (let [looks, stood] = [0, 0]; looks < LOOKS && stood < STANDING; looks++) {
    await delay(LOOK_MS);
    const [now, worked] = [await server.memory(), (await server.cpu()) - cpu];
    cpu += worked;
    stood = now < lowest - 1 || worked > WORK_SECONDS ? 0 : stood + 1;
    lowest = Math.min(lowest, now);
  }
  return server.collected();
}

async function makeNotes(count: number): Promise<string[]> {
  const ids: string[] = [];
  await each(count / BATCH, 2, async (batch) => {
    const notes = Array.from({ length: BATCH }, (_, at) => ({
      ...{ path: `folder ${batch}/note ${at}.md`, mtime: 1 },
      content: `# Note ${at}\n\n${'Some words of a note that is neither long nor short. '.repeat(20)}`,
    }));
    const answer = await fetch(`${server.url}/api/notes/batch`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'x-idempotency-key': `batch-${batch}` },
      body: JSON.stringify({ notes }),
    });
    const { results } = (await answer.json()) as { results: { id: string }[] };
    for (const { id } of results) ids.push(id);
  });
  return ids;
}

async function openSockets(names: (at: number) => string): Promise<readonly SocketClient[]> {
  const plugs: SocketClient[] = [];
  await each(SOCKETS, AT_ONCE, async (at) => {
    const [name, plug] = [names(at), await SocketClient.open(server.url)];
    plugs.push(plug);
    const state = plug.next(name, kinds.sync);
    plug.send(message.token(name, token), message.step1(name));
    await state;
  });
  return plugs;
}

/** Opens, edits and closes every document once. */
async function editAll(ids: readonly string[]): Promise<void> {
  const plugs = await Promise.all(Array.from({ length: 10 }, () => SocketClient.open(server.url)));
  await each(ids.length, AT_ONCE, async (at) => {
    const [id, plug] = [ids[at] ?? '', plugs[at % plugs.length]];
    if (plug === undefined) return;
    const state = plug.next(id, kinds.sync);
    plug.send(message.token(id, token), message.step1(id));
    const doc = new Y.Doc();
    Y.applyUpdate(doc, updateIn(await state));
    const vector = Y.encodeStateVector(doc);
    doc.getText('content').insert(0, 'edited ');
    const status = plug.next(id, kinds.status);
    plug.send(message.update(id, Y.encodeStateAsUpdate(doc, vector)));
    await status;
    plug.send(message.close(id));
    doc.destroy();
  });
  for (const plug of plugs) plug.close();
}

const rows: Record<string, string | number>[] = [];

async function measure(what: string, count: number, open: () => Promise<readonly SocketClient[]>): Promise<void> {
  const before = last;
  const plugs = await open();
  const then = plugs.length > 0 ? await atRest() : null;
  for (const plug of plugs) plug.close();
  last = await atRest();
  const each = then === null ? '' : Math.round((10 * 1024 * (then.own - before.own)) / count) / 10;
  rows.push({ '': `before: ${what}`, ...columnsOf(before), 'KB each': '' });
  if (then !== null) rows.push({ '': 'open', ...columnsOf(then), 'KB each': each });
  rows.push({ '': 'closed', ...columnsOf(last), 'KB each': '' });
}

/** The memory by owner, in MB. */
function columnsOf(now: Collected): Record<string, number> {
  const threads = Math.round((now.threadHeaps + now.threadExternal) * 10) / 10;
  return {
    ...{ resident: now.resident, 'mapped files': now.files, own: now.own },
    ...{ 'main heap': now.heap, 'of it used': now.heapUsed, 'buffers and code': now.external, threads },
    // The database's caches, and memory that the allocator has not returned to the system.
    'other native': Math.round((now.own - now.heap - now.external - threads) * 10) / 10,
  };
}

const ids = await makeNotes(DOCUMENTS);
const some = ids.slice(0, 500);
// Makes the server allocate everything that it needs only once.
await editAll(some);
let last = await atRest();
const idle = () => openSockets(() => `vault:${vault}`);
await measure(`${SOCKETS} idle sockets on a vault’s signal`, SOCKETS, idle);
await measure('the same again', SOCKETS, idle);
await measure(`${SOCKETS} idle sockets on ${some.length} notes`, SOCKETS, () =>
  openSockets((at) => some[at % some.length] ?? ''),
);
for (const round of ['', ', again']) {
  await measure(`${DOCUMENTS} documents opened, edited, closed${round}`, DOCUMENTS, async () => {
    await editAll(ids);
    return [];
  });
}
console.table(rows);

/** The update of a sync message, which follows the step number. */
function updateIn(body: Uint8Array): Uint8Array {
  return decoding.readVarUint8Array(decoding.createDecoder(body.subarray(1)));
}
