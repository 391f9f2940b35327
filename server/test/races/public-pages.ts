import assert from 'node:assert/strict';
import type { Database } from '../../src/ports/database/database.ts';
import { open, startPublic } from '../kit/public-pages.ts';
import { startServer } from '../kit/server.ts';

/** Requests that are open at once: the kernel resets connections beyond the 511 that wait to be accepted. */
const AT_ONCE = 400;
/** A connection of its own: one that is reused may have been idle for so long that the server closes it meanwhile. */
const INIT = { headers: { connection: 'close' } };

/** Asserts that many requests for a public page are all served, and leave another account's requests alone. */
export async function assertPagesSlowNobody(openDatabase: () => Promise<Database>, requests: number): Promise<void> {
  await using server = await startServer({ open: openDatabase });
  const { bob, write, link } = await startPublic(server);
  const { path } = await link({ note_id: await write('Popular.md', '# Popular\n\nA note that **many** read.\n') });
  const { vault } = (await bob.post('/vaults', { name: 'Bob’s' })).body;
  const headers = { 'x-vault-id': vault.id };
  const statuses = new Map<number, number>();
  let isOver = false;
  const works = async () => {
    let count = 0;
    do {
      const written = await bob.post('/notes', { path: 'own.md', content: `${count++}`, mtime: 1 }, headers);
      assert.ok(written.status < 300, `bob’s write was answered ${written.status}`);
      assert.equal((await bob.get('/notes/own.md', headers)).status, 200);
    } while (!isOver);
  };
  const reads = async () => {
    for (let left = requests; left > 0; left -= AT_ONCE) {
      const some = Array.from({ length: Math.min(left, AT_ONCE) }, () => open(server, path, INIT));
      for (const { status } of await Promise.all(some)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    isOver = true;
  };
  await Promise.all([works(), reads()]);
  assert.deepEqual([...statuses], [[200, requests]]);
}
