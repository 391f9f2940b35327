import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, startNotes, type Writer } from '../../../../../test/kit/notes.ts';
import { Random } from '../../../../../test/kit/random.ts';

/** Sends a write that names a version: must be taken, and resolves to the note. */
const send = (alice: Writer, content: string, version: number, path = 'a.md'): Promise<Json> =>
  alice.write(path, content, { version });

onEachEngine('POST /notes with a version', (open) => {
  const start = notesOnOneServer(open);

  test('[6.8] a change that both sides made counts once', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'teh cat\n');
    await send(alice, 'the cat\nA\n', 1);
    const merged = await send(alice, 'the cat\n', 1);
    assert.deepEqual([merged.content, merged.version], ['the cat\nA\n', 2]);
    const more = await send(alice, 'the cat sat\n', 1);
    assert.equal(more.content, 'the cat sat\nA\n');
  });

  test('[6.8] a client that rewrites a link as the server did agrees with it', async () => {
    const { alice } = await start();
    await alice.write('Note88.md', 'x');
    await alice.write('a.md', 'see [[Note88]] and\nmore\n');
    await alice.caller.post('/notes/rename', { old_path: 'Note88.md', new_path: 'Moved88.md' });
    const merged = await send(alice, 'see [[Moved88]] and\nmore\nmine\n', 1);
    assert.equal(merged.content, 'see [[Moved88]] and\nmore\nmine\n');
  });

  test('[6.9] the same write again changes nothing, also when what it brought was edited or deleted since', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'one\ntwo\n');
    await send(alice, 'one\ntwo\nmine\n', 1);
    await send(alice, 'zero\none\ntwo\n', 1);
    const edits = ['zero\none\ntwo\nmine, edited\n', 'zero\none\ntwo\n', 'zero\none\ntwo\nelse\n', ''];
    for (const text of edits) {
      const now = await alice.write('a.md', text);
      for (const [content, version] of [
        ['one\ntwo\nmine\n', 1],
        ['zero\none\ntwo\n', 1],
      ] as const) {
        assert.deepEqual(await send(alice, content, version), now);
        const key = { 'x-idempotency-key': crypto.randomUUID() };
        assert.deepEqual(await alice.write('a.md', content, { version }, key), now);
        const batch = { notes: [{ path: 'a.md', mtime: 9, content, version }] };
        const { body } = await alice.caller.post('/notes/batch', batch, { 'x-idempotency-key': crypto.randomUUID() });
        assert.deepEqual([body.results[0].status, body.results[0].version], ['ok', now.version]);
        assert.deepEqual((await alice.read('a.md')).body, now);
      }
    }
  });

  test('[6.9] a write that brought nothing new is known again when the text is another one', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'one\n');
    await alice.write('a.md', 'one\nline\nmore\n');
    const equal = await send(alice, 'one\nline\nmore\n', 1);
    const alike = await send(alice, 'one\nline\n', 1);
    assert.deepEqual([equal.version, alike.version], [2, 2]);
    const now = await alice.write('a.md', 'one\n');
    assert.deepEqual(await send(alice, 'one\nline\nmore\n', 1), now);
    assert.deepEqual(await send(alice, 'one\nline\n', 1), now);
    assert.equal((await send(alice, 'one\nother\n', 1)).content, 'one\nother\n', 'another text is another write');
  });

  test('[6.9] a write that made the note is known again, and one that goes by a base_hash too', async () => {
    const { alice } = await start();
    await send(alice, 'new\n', 7);
    const now = await alice.write('a.md', 'other\n');
    assert.deepEqual(await send(alice, 'new\n', 7), now);
    const { content_hash: hash } = now;
    await alice.write('a.md', 'other\nmine\n', { base_hash: hash, version: 2 });
    const last = await alice.write('a.md', 'other\n');
    assert.deepEqual(await send(alice, 'other\nmine\n', 2), last);
    const refused = await alice.put('a.md', { content: 'other\nmine\n', base_hash: 'x', version: 2 });
    assert.equal(refused.status, 409);
    for (let version = last.version; version < 7; version++) await alice.write('a.md', `${version}\n`);
    assert.equal((await send(alice, 'new\n', 7)).content, 'new\n', 'version 7 of this note is another base');
  });

  test('[6.9] a write is recognised after its base was dropped, and after its note was deleted and revived', async () => {
    await using notes = await startNotes({ open });
    const { alice, server } = notes;
    const { id } = await alice.write('a.md', 'one\n');
    await send(alice, 'one\nmine\n', 1);
    await alice.write('a.md', 'one\nmine\ntheirs\n');
    server.clock.advance({ hours: 26 });
    assert.ok((await server.app.notes.thinVersions()) > 0);
    server.clock.advance({ hours: -26 });
    const now = (await alice.read('a.md')).body;
    assert.equal((await alice.put('a.md', { content: 'one\nelse\n', version: 1 })).status, 409);
    assert.deepEqual(await send(alice, 'one\nmine\n', 1), now);
    await alice.remove('a.md');
    const revived = await alice.write('a.md', 'anew\n', { id });
    assert.deepEqual(await send(alice, 'one\nmine\n', 1), revived);
  });

  test('[6.8] a note that comes back where another was since goes on after the other one’s versions', async () => {
    const { alice } = await start();
    const first = await alice.write('a.md', 'first\n');
    await alice.caller.delete('/notes/a.md');
    const second = await alice.write('a.md', 'second\n');
    assert.equal((await send(alice, 'second\nmore\n', second.version)).version, 3);
    await alice.caller.delete('/notes/a.md');
    const back = await alice.write('a.md', 'first again\n', { id: first.id });
    assert.deepEqual([back.id, back.version], [first.id, 4]);
    const stale = { path: 'a.md', content: 'second\nmore\nmine\n', version: 3, mtime: 1 };
    const answer = await alice.caller.post('/notes', stale);
    assert.deepEqual([answer.status, answer.body.error], [409, 'version_conflict'], 'version 3 was the other note’s');
    assert.equal((await alice.read('a.md')).body.content, 'first again\n');
  });

  test('[6.8] two equal writes at once make one change', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'one\n');
    await alice.write('a.md', 'zero\none\n');
    await Promise.all(Array.from({ length: 4 }, () => send(alice, 'one\nmine\n', 1)));
    const now = (await alice.read('a.md')).body;
    assert.deepEqual([now.content, now.version], ['zero\none\nmine\n', 3]);
  });

  test('[6.9] any write of a random history, sent again at any later moment, changes nothing', async () => {
    const { alice } = await start();
    const random = new Random(7);
    const words = ['the', 'cat', 'teh', '[[Old]]', 'a', 'sat'];
    const edited = (text: string) => {
      const lines = text.split('\n');
      const at = random.below(lines.length + 1);
      const line = Array.from({ length: 1 + random.below(3) }, () => random.pick(words)).join(' ');
      lines.splice(at, random.below(2), ...(random.chance(0.8) ? [line] : []));
      return lines.join('\n');
    };
    for (let note = 0; note < 4; note++) {
      const path = `note ${note}.md`;
      const seen = [await alice.write(path, 'the cat\nsat\n')];
      const sent: { content: string; version: number }[] = [];
      for (let turn = 0; turn < 25; turn++) {
        if (sent.length > 0 && random.chance(0.4)) {
          const before = (await alice.read(path)).body;
          const again = random.pick(sent);
          assert.deepEqual(
            await send(alice, again.content, again.version, path),
            before,
            JSON.stringify([seen, again]),
          );
          continue;
        }
        const base = random.pick(seen);
        const content = edited(base.content);
        if (random.chance(0.3)) seen.push(await alice.write(path, content));
        else {
          sent.push({ content, version: base.version });
          seen.push(await send(alice, content, base.version, path));
        }
      }
    }
  });
});
