/** Notes so large that they are worked on by the threads of the pool: nothing but the time of it may differ. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { craftUpdate } from '../../../../../test/kit/clients/crafted-updates.ts';
import { YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../../test/kit/notes.ts';

const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const LINES = 20_000;

onEachEngine('large notes', (open) => {
  const start = notesOnOneServer(open);
  const long = (word: string) => Array.from({ length: LINES }, (_, line) => `${word} ${line} with text\n`).join('');

  test('a large note is written, edited, appended to, restored and read as any other', async () => {
    const { alice } = await start();
    await alice.write('Target.md', 'here');
    const text = `# Large\n\n[[Target]] #tag\n${long('line')}`;
    const made = await alice.write('a.md', text);
    assert.deepEqual([made.version, made.title, made.content_hash], [1, 'Large', sha(text)]);
    assert.deepEqual(await alice.edges('a.md'), ['Target → Target.md']);
    const edited = text.replace('line 77 with', 'LINE 77 with');
    assert.deepEqual(await alice.write('a.md', edited).then(({ version }) => version), 2);
    const appended = await alice.caller.post('/notes/append', { path: 'a.md', text: 'the end' });
    assert.equal(appended.body.note.content, `${edited.trimEnd()}\nthe end`);
    const path = `/notes/by-id/${made.id}/versions`;
    assert.equal((await alice.caller.get(`${path}/1`)).body.content, text);
    await alice.caller.post(`/notes/by-id/${made.id}/restore`, { version: 1 });
    const restored = (await alice.read('a.md')).body;
    assert.deepEqual([restored.content_hash, restored.version, restored.tags], [sha(text), 4, ['tag']]);
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
    assert.deepEqual([merged.content_hash, merged.version], [sha(both), 3]);
    using bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
    assert.equal(await bob.send(craftUpdate([{ client: 5, clock: 0, text: 'begun elsewhere' }])), 'foreign');
    const { body } = await alice.read('a.md');
    assert.deepEqual([body.content_hash, body.version], [sha(both), 5]);
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
    assert.deepEqual([body.content_hash, body.version], [sha(`${text}second\ntyped `), 3]);
    await alice.write('a.md', `first\n${body.content}`);
    assert.equal(await bob.type('again'), 'stored');
    assert.equal((await alice.read('a.md')).body.content, `first\n${text}second\ntyped again`);
    bob.leave();
    using late = await new YjsClient('late').join(server.app, alice.vault, note.id);
    assert.equal(late.text, `first\n${text}second\ntyped again`);
  });
});
