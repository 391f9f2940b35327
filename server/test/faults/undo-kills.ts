import assert from 'node:assert/strict';
import { type Database, DatabaseError } from '../../src/ports/database/database.ts';
import { zipOf } from '../kit/content/archives.ts';
import { assertConsistent } from '../kit/database/assert-consistent.ts';
import { startImporting } from '../kit/importing.ts';

/** Transactions after which the undo of an import is cut off, each time. */
const CUTS = [1, 1];

/** Undoes an import that is cut off amid its transactions, and repeats it; nothing of the import may be left. */
export async function undoKilledImport(open: () => Promise<Database>, notes: number): Promise<void> {
  let left = Number.POSITIVE_INFINITY;
  const db = await open();
  const cut = new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'transact')
        return (...args: Parameters<Database['transact']>) => {
          left -= 1;
          if (left < 0) return Promise.reject(new DatabaseError('unavailable', 'cut off'));
          return target.transact(...args);
        };
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  await using at = await startImporting({ open: async () => cut });
  const { server, vault } = at;
  const { alice } = server;
  const headers = { 'x-vault-id': vault };
  await at.put('kept.md', 'kept');
  const files = Array.from({ length: notes }, (_, index) => ({ name: `f/${index}.md`, data: `note ${index}` }));
  const { id, state } = await at.run(zipOf([...files, { name: 'x.txt', data: 'x' }]));
  assert.equal(state, 'done');
  const item = (await alice.get('/vault/activity?action=import', headers)).body.items[0];
  assert.deepEqual([item.id, item.count], [id, notes + 1]);
  // What somebody writes into an imported note keeps it.
  await at.put('f/0.md', 'note 0 and more');
  const undo = () => alice.post(`/vault/activity/${id}/undo`, {}, headers);
  for (const transactions of CUTS) {
    left = transactions;
    const refused = await undo();
    assert.equal(refused.status, 503, JSON.stringify(refused.body));
    left = Number.POSITIVE_INFINITY;
    assert.ok((await at.paths()).length > 2, 'the undo was cut off');
  }
  const { body } = await undo();
  assert.deepEqual([body.undone, body.left], [notes + 1, []]);
  assert.deepEqual(await at.paths(), ['kept.md']);
  assert.deepEqual((await undo()).body, { ...body, undone: notes + 1 });
  const back = (await alice.post(`/vault/activity/${body.item}/undo`, {}, headers)).body;
  assert.deepEqual([back.undone, back.left], [notes + 1, []]);
  assert.equal((await at.paths()).length, notes + 2);
  await assertConsistent({ db, masterKey: server.masterKey });
}
