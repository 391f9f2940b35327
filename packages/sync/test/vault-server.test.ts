import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import { VaultClient } from '@notevault/client/vault-client.ts';
import { VaultServer } from '../src/adapters/vault-server.ts';
import { DiskChanged, VaultGone } from '../src/engine/ports.ts';

/** Returns a server that is unavailable for the first requests; `bodies` gets what each of them sent. */
function serverThatFails(failures: number, bodies: string[]): VaultServer {
  const attachment = { id: 'id', path: 'p.png', content_hash: 'hash', mtime: 1 };
  const answer = async (_url: unknown, { body }: RequestInit = {}) => {
    bodies.push(await new Response(body as ReadableStream<Uint8Array>).text());
    return bodies.length <= failures
      ? Response.json({ error: 'unavailable' }, { status: 503 })
      : Response.json({ attachment });
  };
  const fetch = answer as typeof globalThis.fetch;
  return new VaultServer(
    new VaultClient(new Transport('http://localhost', noToken, { fetch, sleep: async () => {} }), 'vault'),
  );
}

test('an upload of an attachment that is repeated sends all of its bytes again', async () => {
  const bodies: string[] = [];
  const read = async function* () {
    for (const piece of ['by', 'tes']) yield new TextEncoder().encode(piece);
  };
  const written = await serverThatFails(2, bodies).putAttachment('p.png', read, 5, 1, 'base');
  assert.equal(written.kind, 'written');
  assert.deepEqual(bodies, ['bytes', 'bytes', 'bytes']);
});

test('an upload of an attachment ends with the error of a file that changes while it is read', async () => {
  const bodies: string[] = [];
  const read = async function* () {
    yield new TextEncoder().encode('by');
    throw new DiskChanged('p.png');
  };
  await assert.rejects(serverThatFails(0, bodies).putAttachment('p.png', read, 5, 1, 'base'), DiskChanged);
  assert.deepEqual(bodies, []);
});

test('a name exchange is refused by servers without the operation, and reported changed if outdated', async () => {
  const moves = [
    { id: '1', from: 'p.md', to: 'q.md' },
    { id: '2', from: 'q.md', to: 'p.md' },
  ];
  const exchanged = (status: number, body: object) => {
    const fetch = (async () => Response.json(body, { status })) as typeof globalThis.fetch;
    const transport = new Transport('http://localhost', noToken, { fetch, sleep: async () => {} });
    return new VaultServer(new VaultClient(transport, 'vault')).moveMany(moves);
  };
  const items = moves.map(({ id, to: path }) => ({ id, path, seq: 1 }));
  const paths = new Map([
    ['1', 'q.md'],
    ['2', 'p.md'],
  ]);
  assert.deepEqual(await exchanged(200, { moved: 2, items }), { kind: 'moved', paths });
  assert.deepEqual(await exchanged(404, { error: 'not_found', item_id: '1' }), { kind: 'changed' });
  assert.deepEqual(await exchanged(409, { error: 'conflict', item_id: '1' }), { kind: 'changed' });
  const old = await exchanged(404, { error: 'not_found' });
  assert.match(old.kind === 'refused' ? old.reason : '', /update the server$/);
  await assert.rejects(exchanged(404, { error: 'Vault not found' }), VaultGone);
});
