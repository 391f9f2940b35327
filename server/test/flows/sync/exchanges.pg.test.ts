import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { oneServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

const ROUNDS = 4;

onEachEngine('folders in which files exchange their names', (open) => {
  const start = oneServer(() => ({ open }));
  const folder = suiteFolder();

  it('files swap names in circles on three machines at once, links follow, and no other name is seen', async () => {
    await using server = await start();
    const key = (await server.alice.post('/api-keys', { name: 'sync' })).body.key as string;
    const { id: vaultId } = (await server.alice.post('/vaults', { name: 'Notes' })).body.vault;
    const machines = ['desk', 'lap', 'tab'].map(
      (name) => new SyncMachine({ home: folder.at(name), url: server.url, key, vaultId }),
    );
    const [desk, ...others] = machines as [SyncMachine, SyncMachine, SyncMachine];
    const names = ['p.md', 'f/q.md', 'r.md'];
    for (const name of names) desk.put(name, `text of ${name}\n`);
    desk.put('1.txt', 'one\n');
    desk.put('2.txt', 'two\n');
    desk.put('links.md', '[[p]] [[q]] [[r]]\n');
    for (const machine of machines) await machine.sync();
    const headers = { 'x-vault-id': vaultId };
    const manifest = async () => (await server.bearer(key).get('/sync/manifest', headers)).body;
    const ids = new Map((await manifest()).notes.map(({ id, path }: { id: string; path: string }) => [path, id]));
    const seen = new Set<string>();
    desk.onAnswer = (request) => void seen.add(request);
    for (let round = 1; round <= ROUNDS; round++) {
      rotate(desk, names);
      rotate(desk, ['1.txt', '2.txt']);
      await Promise.all(machines.map((machine) => machine.run()));
      for (const machine of [...machines, ...others]) await machine.sync();
      for (const [at, name] of names.entries()) {
        const from = names[(at + names.length - (round % names.length)) % names.length] ?? '';
        const { notes } = await manifest();
        assert.equal(notes.find(({ path }: { path: string }) => path === name)?.id, ids.get(from), `round ${round}`);
        for (const machine of machines) assert.equal(machine.read(name), `text of ${from}\n`, `round ${round}`);
      }
      for (const machine of machines)
        assert.deepEqual([...machine.contents.keys()], ['1.txt', '2.txt', 'f/q.md', 'links.md', 'p.md', 'r.md']);
    }
    assert.equal(desk.read('1.txt'), 'one\n');
    const linked = ['p', 'q', 'r'].map((_, at) => `[[${['p', 'q', 'r'][(at + (ROUNDS % 3)) % 3]}]]`).join(' ');
    for (const machine of machines) assert.equal(machine.read('links.md'), `${linked}\n`);
    assert.ok(seen.has('POST /vault/rename-many') && !seen.has('POST /notes/rename'), [...seen].join());
  });
});

/** Lets each file take the path of the next one, as a person does it. */
function rotate(machine: SyncMachine, paths: readonly string[]): void {
  const last = paths.at(-1) ?? '';
  machine.move(last, '.aside');
  for (const [at, from] of [...paths.slice(0, -1).entries()].toReversed()) machine.move(from, paths[at + 1] ?? '');
  machine.move('.aside', paths[0] ?? '');
}
