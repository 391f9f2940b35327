import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinPlans } from '../../src/domains/foundation/plans/plans.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';

const config = {
  plans: { ...builtinPlans, small: { ...builtinPlans.self_hosted, notes_cap: 10 } },
  defaultPlan: 'small',
};

onEachEngine('notes_cap of ten', (open) => {
  test('lets fifty concurrent creates make exactly ten notes', async () => {
    await using server = await startServer({ open, config });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Notes' });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => alice.post('/notes', { path: `${at}.md`, mtime: 1, content: `${at}` })),
    );
    const made = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 402);
    assert.deepEqual([made.length, refused.length], [10, 40]);
    for (const { body } of refused) assert.deepEqual([body.current, body.limit], [10, 10]);
    // Refused creates took no seq and left no rows.
    assert.deepEqual(
      made.map(({ body }) => body.note.seq).sort((a, b) => a - b),
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    );
    assert.equal((await alice.get('/vaults')).body.vaults[0].note_count, 10);
  });

  test('lets fifty concurrent creates over two vaults of one user and one of another make ten notes each', async () => {
    await using server = await startServer({ open, config });
    const { alice, bob } = server;
    const vault = async (who: typeof alice, name: string) => (await who.post('/vaults', { name })).body.vault.id;
    const [one, two, bobs] = [await vault(alice, 'One'), await vault(alice, 'Two'), await vault(bob, 'Three')];
    const create = (who: typeof alice, id: string, at: number) =>
      who.post('/notes', { path: `${at}.md`, mtime: 1, content: `${at}` }, { 'x-vault-id': id });
    const alices = Array.from({ length: 40 }, (_, at) => create(alice, at % 2 === 0 ? one : two, at));
    const others = Array.from({ length: 15 }, (_, at) => create(bob, bobs, at));
    const made = async (answers: typeof alices) => (await Promise.all(answers)).filter(({ status }) => status === 200);
    assert.deepEqual([(await made(alices)).length, (await made(others)).length], [10, 10]);
    const counts = (await alice.get('/vaults')).body.vaults.map((each: { note_count: number }) => each.note_count);
    assert.equal(counts[0] + counts[1], 10);
  });
});
