import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { listen } from '../../kit/programs/free-port.ts';
import { cli, Folder } from '../../kit/programs/process.ts';

const SIZE = 1536 * MB;
/** A text in gzip: its first character, a part, and the last; gzip members can be concatenated. */
const [BEGIN, PIECE, END] = ['"', Buffer.alloc(MB, 'a'), '"'].map((part) => gzipSync(part));
const PEAK_KB_MAX = 700 * 1024;
const VAULT = '01890000-0000-7000-8000-000000000001';
/** Import that makes a process print its peak memory in KB. */
const TELL_PEAK = 'data:text/javascript,process.on(`exit`,()=>console.error(`peak`,process.resourceUsage().maxRSS))';

describe('a server that answers with 1.5 GB of JSON', () => {
  let listening: Awaited<ReturnType<typeof listen>>;
  let url = '';
  const folder = new Folder();
  const asked: string[] = [];

  before(async () => {
    const server = createServer((request, answer) => {
      asked.push(`${request.method} ${request.url}`);
      if (request.url === '/api/vaults') {
        answer.setHeader('content-type', 'application/json');
        answer.end(JSON.stringify({ vaults: [{ id: VAULT, name: 'Notes', is_default: true }] }));
        return;
      }
      answer.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      pipeline(Readable.from(hugeJson()), answer, () => undefined);
    });
    listening = await listen(server);
    url = listening.url;
  });

  after(async () => {
    await listening[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  it('ends a run of "notevault sync" with one line, and without its memory', async () => {
    mkdirSync(folder.at('vault'));
    const { code, stderr } = await cli(['sync', '--once', '--url', url, '--vault', 'Notes', folder.at('vault')], {
      env: {
        HOME: folder.path,
        XDG_STATE_HOME: folder.at('state'),
        NOTEVAULT_TOKEN: 'nv_key_1',
        NODE_OPTIONS: `--import=${TELL_PEAK}`,
      },
    });
    assertCut(code, stderr, `${url} sent more than 256 MB`);
    assert.ok(asked.some((request) => request.startsWith('GET /api/sync/changes')));
  });

  it('ends a request of the library, without its memory', async () => {
    const client = join(import.meta.dirname, '../../../../packages/client/src');
    const script = `
      const { Transport } = await import('${client}/transport.ts');
      const { noToken } = await import('${client}/tokens.ts');
      const { VaultClient } = await import('${client}/vault-client.ts');
      const vault = new VaultClient(new Transport('${url}', noToken), '${VAULT}');
      for (const operation of [() => vault.readNoteById('a'), () => vault.changes(null), () => vault.manifest()])
        await operation().then(() => console.error('was read'), ({ name, message }) => console.error(name, message));
      process.exitCode = 1;`;
    const child = spawn(process.execPath, [`--import=${TELL_PEAK}`, '--input-type=module', '-e', script]);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const [code] = (await once(child, 'close')) as [number];
    assertCut(code, stderr, 'ConnectionError');
    assert.equal(stderr.match(/sent more than \d+ MB/g)?.length, 3, stderr);
  });
});

function* hugeJson() {
  yield BEGIN;
  for (let sent = 0; sent < SIZE; sent += MB) yield PIECE;
  yield END;
}

function assertCut(code: number | null, stderr: string, says: string): void {
  assert.equal(code, 1, stderr);
  assert.ok(stderr.includes(says), stderr);
  assert.doesNotMatch(stderr, /\n\s+at |unexpected error/);
  const peak = Number(/peak (\d+)/.exec(stderr)?.[1]);
  assert.ok(peak < PEAK_KB_MAX, `${peak} KB of memory`);
}
