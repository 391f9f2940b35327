import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { after, it } from 'node:test';
import { conflictOf } from '@notevault/sync/plan/names.ts';
import { onEachEngine } from '../../kit/engines.ts';
import type { Caller } from '../../kit/person.ts';
import { Folder } from '../../kit/programs/process.ts';
import { oneServer } from '../../kit/server.ts';
import { startShared } from '../../kit/shared-vault.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

type Shared = Awaited<ReturnType<typeof startShared>>;

const FIRST = '# Plan\n\nbuy seeds\ndig the bed\n';
const LATER = '# Plan\n\nbuy bulbs\ndig the bed\nwater\n';

onEachEngine('a folder whose texts the vault has seen', (open) => {
  const start = oneServer(() => ({ open }));
  const folder = new Folder();
  let count = 0;
  after(() => folder[Symbol.dispose]());

  async function machineOf({ server, vault }: Shared, member: Caller): Promise<SyncMachine> {
    const reach = { name: 'desk', vault_access: { [vault]: 'write' } };
    const { key } = (await member.post('/connections/pat', reach)).body;
    return new SyncMachine({ home: folder.at(`machine ${count++}`), url: server.url, key, vaultId: vault });
  }

  async function write({ alice, headers }: Shared, path: string, content: string): Promise<void> {
    assert.equal((await alice.post('/notes', { path, content, mtime: 1 }, headers)).status, 200);
  }

  async function remove({ alice, headers }: Shared, path: string): Promise<void> {
    assert.equal((await alice.delete(`/notes/${path}`, undefined, headers)).status, 200);
  }

  /** The vault of alice, without a note. */
  async function empty(): Promise<Shared> {
    const shared = await startShared(await start());
    await remove(shared, 'a.md');
    return shared;
  }

  const conflictsIn = ({ contents }: SyncMachine) =>
    Object.fromEntries(
      [...contents].filter(([path]) => conflictOf(path) !== null).map(([path, text]) => [conflictOf(path), text]),
    );

  const loseState = ({ place }: SyncMachine) => rmSync(place, { recursive: true });

  it('a folder that lost its state takes later texts, and keeps no copy of its own earlier ones', async () => {
    await using shared = await empty();
    const desk = await machineOf(shared, shared.alice);
    desk.put('plan.md', FIRST);
    desk.put('same.md', 'same\n');
    await desk.sync();
    await write(shared, 'plan.md', `${FIRST}water\n`);
    await write(shared, 'plan.md', LATER);
    loseState(desk);
    await desk.sync();
    assert.deepEqual(
      desk.contents,
      new Map([
        ['plan.md', LATER],
        ['same.md', 'same\n'],
      ]),
    );
    assert.deepEqual((await shared.alice.get('/sync/manifest', shared.headers)).body.total_notes, 2);
  });

  it('a folder that is a copy of an older vault state takes all later texts, without a conflict copy', async () => {
    await using shared = await empty();
    const desk = await machineOf(shared, shared.alice);
    for (let at = 0; at < 12; at++) desk.put(`f/${at}.md`, `${FIRST}${at}\n`);
    await desk.sync();
    const lap = await machineOf(shared, shared.alice);
    cpSync(desk.at('f'), lap.at('f'), { recursive: true });
    for (let at = 0; at < 12; at++) desk.put(`f/${at}.md`, `${LATER}${at}\n`);
    await desk.sync();
    assert.equal((await lap.run({})).kind, 'in step', 'nothing is asked, although all texts are replaced');
    assert.deepEqual(lap.contents, desk.contents);
    assert.equal(lap.requests.filter((request) => request === 'POST /sync/known').length, 1);
    assert.equal((await lap.sync()).done, 0);
  });

  it('a folder with a daily note of the same template takes what was written into the vault’s', async () => {
    await using shared = await empty();
    const daily = '2026-11-29.md';
    const [desk, lap] = [await machineOf(shared, shared.alice), await machineOf(shared, shared.alice)];
    const template = '---\nmood:\n---\n## Morning\n\n## Evening\n';
    // The text was filled in before it was sent for the first time, so the template is no version of the note.
    lap.put(daily, template.replace('\n\n', '\n\nslept well\n\n'));
    await lap.sync();
    desk.put(daily, template);
    await desk.sync();
    assert.deepEqual(desk.contents, lap.contents);
    // The property was changed, so the template is only a version.
    lap.put('b.md', template);
    await lap.sync();
    lap.put('b.md', template.replace('mood:', 'mood: good'));
    await lap.sync();
    loseState(desk);
    desk.put('b.md', template);
    await desk.sync();
    assert.deepEqual(desk.contents, lap.contents);
  });

  it('a folder with an empty note takes the text of the vault', async () => {
    await using shared = await empty();
    await write(shared, 'a.md', FIRST);
    const desk = await machineOf(shared, shared.alice);
    desk.put('a.md', '');
    await desk.sync();
    assert.deepEqual(desk.contents, new Map([['a.md', FIRST]]));
  });

  it('a folder keeps a copy of a text of its own, and sends it', async () => {
    await using shared = await empty();
    await write(shared, 'a.md', FIRST);
    const desk = await machineOf(shared, shared.alice);
    desk.put('a.md', 'dig the bed\nbuy seeds\n');
    await desk.sync();
    assert.deepEqual([desk.read('a.md'), conflictsIn(desk)], [FIRST, { 'a.md': 'dig the bed\nbuy seeds\n' }]);
    assert.equal((await shared.alice.get('/sync/manifest', shared.headers)).body.total_notes, 2);
  });

  it('a folder of a viewer, without history, keeps older texts beside unless the vault’s note has them', async () => {
    await using shared = await empty();
    await write(shared, 'old.md', FIRST);
    await write(shared, 'old.md', LATER);
    await write(shared, 'part.md', LATER);
    await write(shared, 'empty.md', LATER);
    await shared.join(shared.carol, 'viewer');
    const desk = await machineOf(shared, shared.carol);
    desk.put('old.md', FIRST);
    desk.put('part.md', 'buy bulbs\nwater\n');
    desk.put('empty.md', '');
    const { kind, unsynced } = await desk.run();
    assert.deepEqual([kind, unsynced.length, conflictsIn(desk)], ['in step', 1, { 'old.md': FIRST }]);
    for (const path of ['old.md', 'part.md', 'empty.md']) assert.equal(desk.read(path), LATER, path);
  });

  it('a folder keeps texts as before where the server is older and cannot tell', async () => {
    await using shared = await empty();
    await write(shared, 'old.md', FIRST);
    await write(shared, 'old.md', LATER);
    const desk = await machineOf(shared, shared.alice);
    desk.put('old.md', FIRST);
    desk.answer = ({ pathname }) =>
      pathname.endsWith('/sync/known') ? Response.json({ error: 'not_found' }, { status: 404 }) : null;
    await desk.sync();
    assert.deepEqual([desk.read('old.md'), conflictsIn(desk)], [LATER, { 'old.md': FIRST }]);
  });

  it('a folder that was away for longer than the feed remembers merges over the versions that it had', async () => {
    await using shared = await empty();
    const desk = await machineOf(shared, shared.alice);
    desk.put('a.md', FIRST);
    desk.put('b.md', FIRST);
    await desk.sync();
    await write(shared, 'a.md', LATER);
    await write(shared, 'b.md', LATER);
    desk.put('a.md', `first\n${FIRST}`);
    let isExpired = true;
    desk.answer = ({ pathname, searchParams }) => {
      if (!pathname.endsWith('/sync/changes') || !searchParams.has('cursor') || !isExpired) return null;
      isExpired = false;
      return Response.json({ error: 'history_expired' }, { status: 410 });
    };
    await desk.sync();
    await desk.sync();
    assert.deepEqual(
      desk.contents,
      new Map([
        ['a.md', `first\n${LATER}`],
        ['b.md', LATER],
      ]),
    );
  });
});
