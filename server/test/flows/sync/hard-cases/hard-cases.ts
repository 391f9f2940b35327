import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Database } from '../../../../src/ports/database/database.ts';
import { Folder } from '../../../kit/programs/process.ts';
import { startServer, type TestServer } from '../../../kit/server.ts';
import { SyncMachine } from '../../../kit/sync-machine.ts';
import { bothSides } from './both-sides.ts';
import { disks } from './disks.ts';
import { names } from './names.ts';
import { stops } from './stops.ts';

/** Registers a test for each case, against one server. */
export function defineHardCases(open: () => Promise<Database>): void {
  const folder = new Folder();
  let server: TestServer;
  let key = '';
  before(async () => {
    server = await startServer({ open });
    key = (await server.alice.post('/api-keys', { name: 'sync' })).body.key;
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  for (const [number, title, run] of [...bothSides, ...names, ...stops, ...disks]) {
    it(`${number}: ${title}`, async () => {
      const vaultId = (await server.alice.post('/vaults', { name: `Case ${number}` })).body.vault.id as string;
      const machine = (name: string) =>
        new SyncMachine({ home: folder.at(`${number}`, name), url: server.url, key, vaultId });
      const at = { 'x-vault-id': vaultId };
      await run({
        desk: machine('desk'),
        lap: machine('lap'),
        async ids() {
          const { notes, attachments } = (await server.alice.get('/sync/manifest', at)).body;
          const rows = [...notes, ...attachments] as { path: string; id: string }[];
          return new Map(rows.map(({ path, id }) => [path, id]));
        },
        async write(path, content) {
          assert.equal((await server.alice.post('/notes', { path, content, mtime: 1 }, at)).status, 200);
        },
        post: (path, body) => server.alice.post(path, body, at),
        pass: (time) => void server.clock.advance(time),
      });
    });
  }
}
