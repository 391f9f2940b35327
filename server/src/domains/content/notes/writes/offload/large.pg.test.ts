/** Notes so large that they are worked on by the threads of the pool: nothing but the time of it may differ. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { craftUpdate } from '../../../../../../test/kit/clients/crafted-updates.ts';
import { YjsClient } from '../../../../../../test/kit/clients/yjs-client.ts';
import { onEachEngine } from '../../../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../../../test/kit/notes.ts';
import { WorkerPool } from '../../../../../concurrency/worker-pool.ts';

/** Some 170 KB: longer than what a request works on itself. */
const LINES = 8_000;

onEachEngine('large notes', (open) => {
  const start = notesOnOneServer(open);
  const long = (word: string) => Array.from({ length: LINES }, (_, line) => `${word} ${line} with text\n`).join('');

  test('a large note is written, edited, appended to, restored and read as any other', async () => {
    const { alice } = await start();
    await alice.write('Target.md', 'here');
    const text = `# Large\n\n[[Target]] #tag\n${long('line')}`;
    const made = await alice.write('a.md', text);
    assert.deepEqual([made.version, made.title, made.content_hash], [1, 'Large', hash('sha256', text)]);
    assert.deepEqual(await alice.edges('a.md'), ['Target → Target.md']);
    const edited = text.replace('line 77 with', 'LINE 77 with');
    assert.deepEqual(await alice.write('a.md', edited).then(({ version }) => version), 2);
    const appended = await alice.caller.post('/notes/append', { path: 'a.md', text: 'the end' });
    assert.equal(appended.body.note.content, `${edited.trimEnd()}\nthe end`);
    const path = `/notes/by-id/${made.id}/versions`;
    assert.equal((await alice.caller.get(`${path}/1`)).body.content, text);
    await alice.caller.post(`/notes/by-id/${made.id}/restore`, { version: 1 });
    const restored = (await alice.read('a.md')).body;
    assert.deepEqual([restored.content_hash, restored.version, restored.tags], [hash('sha256', text), 4, ['tag']]);
  });

  test('no large text or rename is refused because its account sends many at once', async () => {
    const { alice } = await start();
    await alice.write('hub.md');
    await alice.write('source.md', `${'[[hub]] '.repeat(400)}\n`);
    const text = long('line').slice(0, 140_000);
    const writes = Array.from({ length: 24 }, (_, at) => alice.put(`${at}.md`, { content: `${at}${text}` }));
    const renamed = alice.caller.post('/notes/rename', { old_path: 'hub.md', new_path: 'centre.md' });
    const answers = await Promise.all([...writes, renamed]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal((await alice.read('source.md')).body.content, `${'[[centre]] '.repeat(400)}\n`);
  });

  test('texts written on top of an older version of a large note merge, and a foreign text is kept', async () => {
    const { server, alice } = await start();
    const text = long('line');
    const note = await alice.write('a.md', text);
    await alice.write('a.md', text.replace('line 5 with', 'line 5 WITH'));
    const merged = await alice.write('a.md', text.replace('line 900 with', 'line 900 WITH'), { version: 1 });
    const both = text.replace('line 5 with', 'line 5 WITH').replace('line 900 with', 'line 900 WITH');
    assert.deepEqual([merged.content_hash, merged.version], [hash('sha256', both), 3]);
    using bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
    assert.equal(await bob.send(craftUpdate([{ client: 5, clock: 0, text: 'begun elsewhere' }])), 'foreign');
    const { body } = await alice.read('a.md');
    assert.deepEqual([body.content_hash, body.version], [hash('sha256', both), 5]);
    const kept = await alice.caller.get(`/notes/by-id/${note.id}/versions/4`);
    assert.equal(kept.body.content, 'begun elsewhere');
  });

  test('who types into a large note sees the writes of others, and they what was typed', async () => {
    const { server, alice } = await start();
    const text = long('line');
    const note = await alice.write('a.md', text);
    await alice.write('a.md', `${text}second\n`);
    using bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
    assert.equal(await bob.type('typed '), 'stored');
    const { body } = await alice.read('a.md');
    assert.deepEqual([body.content_hash, body.version], [hash('sha256', `${text}second\ntyped `), 3]);
    await alice.write('a.md', `first\n${body.content}`);
    assert.equal(await bob.type('again'), 'stored');
    assert.equal((await alice.read('a.md')).body.content, `first\n${text}second\ntyped again`);
    bob.leave();
    using late = await new YjsClient('late').join(server.app, alice.vault, note.id);
    assert.equal(late.text, `first\n${text}second\ntyped again`);
  });

  /** Lines of one letter, a or b, without any order: they occur in two such texts thousands of times. */
  function letterLines(seed: number): string {
    let state = seed;
    const line = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state >>> 31 === 0 ? 'a' : 'b';
    };
    return Array.from({ length: 4000 }, line).join('\n');
  }

  test('a short text whose comparison is long is compared by the pool, and an ordinary one is not', async (t) => {
    const run = t.mock.method(WorkerPool.prototype, 'run');
    const names = () => {
      const called = run.mock.calls.map(({ arguments: [, name] }) => name);
      run.mock.resetCalls();
      return called;
    };
    const { alice } = await start();
    const texts = [letterLines(1), letterLines(2), letterLines(3)] as const;
    await alice.write('a.md', texts[0]);
    await alice.write('a.md', `${texts[0]}\nand more`);
    assert.deepEqual(names(), []);
    const replaced = await alice.write('a.md', texts[1]);
    assert.deepEqual([replaced.version, replaced.content_hash, names()], [3, hash('sha256', texts[1]), ['draftText']]);
    const merged = await alice.write('a.md', `${texts[1]}\nof one`, { version: 3 });
    assert.deepEqual([merged.version, names()], [4, []]);
    const late = await alice.write('a.md', texts[2], { version: 3 });
    assert.deepEqual([late.version, names()], [5, ['draftMerge']]);
    assert.equal((await alice.read('a.md')).body.content_hash, late.content_hash);
    const links = Array.from({ length: 6000 }, (_, at) => `[[n${at}]]`).join('');
    assert.deepEqual([(await alice.write('links.md', links)).version, names()], [1, ['draftText']]);
  });
});
