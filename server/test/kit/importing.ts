import assert from 'node:assert/strict';
import type { Caller } from './person.ts';
import { startServer, type TestServerOptions } from './server.ts';

/** A server with a vault of alice, and what tests of imports do with them. */
export async function startImporting(options: TestServerOptions) {
  const server = await startServer(options);
  const { alice } = server;
  const { vault } = (await alice.post('/vaults', { name: 'Work' })).body;
  const headers = { 'x-vault-id': vault.id as string };
  return {
    server,
    vault: vault.id as string,
    begin: (archive: Buffer, query = '', who: Caller = alice) =>
      who.post(`/imports?vault_id=${vault.id}${query}`, archive, { 'content-type': 'application/octet-stream' }),
    /** Uploads an archive and runs its import to the end. */
    async run(archive: Buffer, query = '') {
      const { status, body } = await this.begin(archive, query);
      assert.equal(status, 202, JSON.stringify(body));
      await server.app.imports.runWaiting();
      return (await alice.get(`/imports/${body.id}`)).body;
    },
    note: (path: string) => alice.get(`/notes/${path.split('/').map(encodeURIComponent).join('/')}`, headers),
    async paths(): Promise<string[]> {
      const { notes, attachments } = (await alice.get('/sync/manifest', headers)).body;
      return [...notes, ...attachments].map(({ path }: { path: string }) => path).sort();
    },
    put: (path: string, content: string) => alice.post('/notes', { path, content, mtime: 1 }, headers),
    file: (path: string) => alice.get(`/attachments/${path}?raw=1`, headers),
    blobs: async () => (await Array.fromAsync(server.blobs.list())).flat().length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
