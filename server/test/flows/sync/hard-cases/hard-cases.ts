import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before } from 'node:test';
import type { Database } from '../../../../src/ports/database/database.ts';
import { Folder } from '../../../kit/programs/process.ts';
import { startServer, type TestServer } from '../../../kit/server.ts';
import { SyncMachine } from '../../../kit/sync-machine.ts';
import { bothSides } from './both-sides.ts';
import { disks } from './disks.ts';
import { names } from './names.ts';
import { stops } from './stops.ts';
import type { World } from './world.ts';

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

  let count = 0;
  const makeWorld = async (): Promise<World> => {
    const name = `Case ${count++}`;
    const vaultId = (await server.alice.post('/vaults', { name })).body.vault.id as string;
    const home = folder.at(name);
    const machine = (name: string) => new SyncMachine({ home: join(home, name), url: server.url, key, vaultId });
    const [desk, lap] = [machine('desk'), machine('lap')];
    const at = { 'x-vault-id': vaultId };
    const settle = async () => {
      for (let round = 0; round < 10; round++) {
        const done = (await desk.sync()).done + (await lap.sync()).done;
        if (round > 0 && done === 0) break;
      }
      assert.deepEqual(lap.contents, desk.contents);
    };
    return {
      desk,
      lap,
      settle,
      async share(files) {
        for (const [path, text] of Object.entries(files)) desk.put(path, text);
        await settle();
      },
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
    };
  };

  for (const define of [bothSides, names, stops, disks]) define(makeWorld);
}
