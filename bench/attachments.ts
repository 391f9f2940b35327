import { once } from 'node:events';
import { request } from 'node:http';
import { numberGiven, type Running, startProcess, startServer } from './kit/processes.ts';
import { inRounds, middleRow, ratioRows } from './kit/rounds.ts';
import { signUp } from './kit/vault.ts';

// How much memory does a file of 500 MB (or as many MB as given) take to upload and download over HTTP, alone and eight
// at once, and how fast is that compared with a plain file behind `node:http`? How much do 60 MB take as base64 in
// JSON? How much slower is a file that arrives in slices of 8 MB, which is stored twice? The server's own memory must stay under 64 MiB above idle.
const MB = numberGiven(500);
const LIMIT_MIB = 64;
const PIECE = Buffer.alloc(64 * 1024, 'a piece of text, 64 KB of it all in all. ');
const SLICE_BYTES = 8 * 1024 * 1024;
const CHECK_MS = 20;

type Transfer = (name: string, bytes: number) => Promise<void>;

/** JSON may carry at most 64 MB. */
const JSON_BYTES = 60_000_000;

function transfersOf(url: string, headers: Record<string, string>) {
  const ask = (method: string, path: string, more: Record<string, string | number>) =>
    request(`${url}/api${path}`, { method, headers: { ...headers, ...more } });
  const open = (method: string, name: string, more: Record<string, string | number> = {}) =>
    ask(method, `/attachments${name}`, more);
  const ended = async (sent: ReturnType<typeof open>): Promise<number> => {
    const [answer] = await once(sent, 'response');
    let bytes = 0;
    for await (const chunk of answer) bytes += chunk.length;
    if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`);
    return bytes;
  };
  const write = async (sent: ReturnType<typeof open>, piece: Buffer, bytes: number) => {
    for (let left = bytes; left > 0; left -= piece.length) {
      if (!sent.write(piece.subarray(0, left))) await once(sent, 'drain');
    }
  };
  const put: Transfer = async (name, bytes) => {
    const sent = open('PUT', `/${name}`, { 'content-length': bytes });
    const answer = ended(sent);
    await write(sent, PIECE, bytes);
    sent.end();
    await answer;
  };
  const putSlices: Transfer = async (name, bytes) => {
    const tus = { 'tus-resumable': '1.0.0' };
    const path = `path ${Buffer.from(name).toString('base64')}`;
    const begun = ask('POST', '/uploads', { ...tus, 'upload-length': bytes, 'upload-metadata': path });
    begun.end();
    const [{ headers: made }] = await once(begun, 'response');
    for (let at = 0; at < bytes; at += SLICE_BYTES) {
      const length = Math.min(SLICE_BYTES, bytes - at);
      const type = { 'content-type': 'application/offset+octet-stream', 'content-length': length };
      const sent = ask('PATCH', made.location.slice('/api'.length), { ...tus, ...type, 'upload-offset': at });
      const answer = ended(sent);
      await write(sent, PIECE, length);
      sent.end();
      await answer;
    }
  };
  const get: Transfer = async (name, bytes) => {
    const sent = open('GET', `/${name}?raw=1`);
    sent.end();
    if ((await ended(sent)) !== bytes) throw new Error('not all came back');
  };
  const putJson: Transfer = async (name) => {
    const sent = open('POST', '', { 'content-type': 'application/json' });
    const answer = ended(sent);
    sent.write(`{"path":"${name}","content_base64":"`);
    await write(sent, Buffer.alloc(60_000, 'QUJD'), (JSON_BYTES / 3) * 4);
    sent.end('"}');
    await answer;
  };
  const getJson: Transfer = async (name) => {
    const sent = open('GET', `/${name}`);
    sent.end();
    if ((await ended(sent)) < (JSON_BYTES / 3) * 4) throw new Error('not all came back');
  };
  return { put, putSlices, get, putJson, getJson };
}

interface Figures {
  readonly mbPerSecond: number;
  readonly peakMib: number;
}

/** @param idle own memory of the server before it stored any file */
async function measured(
  server: Running,
  transfer: Transfer,
  idle: number,
  atOnce: number,
  bytes = Math.round((MB * 1e6) / atOnce),
): Promise<Figures> {
  let peak = idle;
  const look = setInterval(async () => {
    peak = Math.max(peak, await server.ownMemory());
  }, CHECK_MS);
  const started = performance.now();
  await Promise.all(Array.from({ length: atOnce }, (_, at) => transfer(`${at}.txt`, bytes)));
  const seconds = (performance.now() - started) / 1000;
  clearInterval(look);
  return { mbPerSecond: Math.round((bytes * atOnce) / 1e6 / seconds), peakMib: Math.round(peak - idle) };
}

const columnsOf = (up: Figures, down: Figures) => ({
  ...{ 'up MB/s': up.mbPerSecond, 'up peak MiB': up.peakMib },
  ...{ 'down MB/s': down.mbPerSecond, 'down peak MiB': down.peakMib },
});

async function compared(atOnce: number): Promise<void> {
  await using peer = await startProcess('bench/kit/file-server.ts', []);
  await using server = await startServer();
  const plain = transfersOf(peer.url, {});
  const { put, putSlices, get, putJson, getJson } = transfersOf(server.url, await signUp(server.url));
  const [peerIdle, idle] = [await peer.ownMemory(), await server.ownMemory()];
  // Each round sends other files: what is there already would not be stored again.
  const named = (transfer: Transfer, prefix: string): Transfer => {
    return (name, bytes) => transfer(`${prefix}-${name}`, bytes);
  };
  const own = (up: Transfer, down: Transfer | null, kind: string, bytes?: number) => async (round: number) => {
    const sent = await measured(server, named(up, `${kind}-${round}`), idle, atOnce, bytes);
    const none = { mbPerSecond: 0, peakMib: 0 };
    const got = down === null ? none : await measured(server, named(down, `${kind}-${round}`), idle, atOnce, bytes);
    if (Math.max(sent.peakMib, got.peakMib) > LIMIT_MIB) process.exitCode = 1;
    return columnsOf(sent, got);
  };
  const found = await inRounds({
    peer: async (round) =>
      columnsOf(
        await measured(peer, named(plain.put, `${round}`), peerIdle, atOnce),
        await measured(peer, named(plain.get, `${round}`), peerIdle, atOnce),
      ),
    raw: own(put, get, 'raw'),
    slices: own(putSlices, null, 'slices'),
  });
  // After the others, because the memory that it takes would count as theirs.
  const { base64 } = await inRounds({ base64: own(putJson, getJson, 'base64', JSON_BYTES) });
  const store = process.argv.includes('--postgres') ? 'PostgreSQL' : 'disk';
  console.log(`${atOnce} at once`);
  console.table([
    middleRow('node:http', found.peer),
    middleRow(store, found.raw),
    middleRow(`${store}, slices`, found.slices),
    middleRow(`${store}, base64`, base64),
  ]);
  console.log('of node:http');
  console.table(ratioRows(['up MB/s', 'down MB/s'], found.raw, found.peer));
}

for (const atOnce of [1, 8]) await compared(atOnce);
if (process.exitCode === 1) console.log(`More than ${LIMIT_MIB} MiB above idle.`);
