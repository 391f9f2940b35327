/** Updates that would hold up the event loop, and updates that Yjs stumbles over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Y from 'yjs';
import {
  COSTLY_TEXT,
  costlyUpdate,
  craftUpdate,
  PIECES,
  piecesUpdate,
  TRIAL_MS,
} from '../../../../../test/kit/clients/crafted-updates.ts';
import { YjsClient } from '../../../../../test/kit/clients/yjs-client.ts';
import { onEachEngine, onSqlite } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer } from '../../../../../test/kit/notes.ts';

onEachEngine('the cost of updates', (open) => {
  const start = notesOnOneServer(open, { trialMs: TRIAL_MS });

  async function openNote(text = 'x') {
    const { server, alice } = await start();
    const note = await alice.write('a.md', text);
    const bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
    const carol = await new YjsClient('carol').join(server.app, alice.vault, note.id);
    const [genesis] = [...bob.doc.store.clients.keys()];
    return { server, alice, note, bob, carol, genesis: genesis as number };
  }

  test('[7.15] an update of many letters is applied as a whole for everybody after a trial', async () => {
    const { alice, note, bob, carol } = await openNote();
    const before = Y.encodeStateVector(bob.doc);
    const content = bob.doc.getText('content');
    bob.doc.transact(() => {
      for (let index = 0; index < PIECES; index++) content.insert(0, String(index % 10));
    });
    assert.equal(await bob.send(Y.encodeStateAsUpdate(bob.doc, before)), 'stored');
    assert.equal(carol.text, bob.text);
    const { body } = await alice.read('a.md');
    assert.deepEqual([body.content, body.version], [bob.text, note.version + 1]);
    assert.equal(await carol.type('!'), 'stored');
    assert.equal(bob.text, carol.text);
  });

  test('updates that arrive during a trial wait for it, and each gets its own answer', async () => {
    const { bob, carol } = await openNote();
    const before = Y.encodeStateVector(bob.doc);
    const content = bob.doc.getText('content');
    bob.doc.transact(() => {
      for (let index = 0; index < 2000; index++) content.insert(0, 'ab');
    });
    const many = Y.encodeStateAsUpdate(bob.doc, before);
    const after = bob.draft('!');
    const answers = bob.sendAll([many, Uint8Array.of(9), after, many]);
    assert.equal(await carol.type('?'), 'stored');
    assert.deepEqual(await answers, ['stored', 'malformed', 'stored', 'known']);
    assert.equal(bob.text, carol.text);
  });

  test('[7.15] items that are placed among all pieces of a long document are refused, and their text is kept', async () => {
    const { alice, bob, carol, genesis } = await openNote();
    assert.equal(await bob.send(piecesUpdate(genesis)), 'stored');
    // Reading folds the pieces into the note: a version made between the two updates would be the last one to compare with.
    await alice.read('a.md');
    assert.equal(await bob.send(costlyUpdate(genesis, 0xffff_fff0)), 'costly');
    assert.equal(await bob.send(costlyUpdate(genesis, 0xffff_fff1)), 'costly');
    const { body } = await alice.read('a.md');
    assert.equal(body.content, `x${'p'.repeat(PIECES)}`);
    const path = `/notes/by-id/${body.id}/versions`;
    const { versions } = (await alice.caller.get(path)).body;
    const texts = await Promise.all(
      versions.map(
        async ({ version }: { version: number }) => (await alice.caller.get(`${path}/${version}`)).body.content,
      ),
    );
    assert.equal(texts.filter((text) => text === COSTLY_TEXT).length, 1, 'kept once');
    assert.deepEqual([bob.closed, carol.closed], [null, null]);
    assert.equal(await carol.type('!'), 'stored');
  });

  for (const [what, items] of [
    ['a later item of its own', [2, 0, 2, 1]],
    ['an item of another client that waits for it', [2, 0, 3, 0]],
  ] as const) {
    test(`[7.14] an item that refers to ${what} is refused, and the others notice nothing`, async () => {
      const { alice, bob, carol, genesis } = await openNote();
      const [client, clock, otherClient, otherClock] = items;
      const update = craftUpdate([
        { client, clock, text: 'a', origin: [otherClient, otherClock] },
        { client: otherClient, clock: otherClock, text: 'b', origin: [client, clock] },
      ]);
      assert.equal(await bob.send(update), 'malformed');
      const many = Array.from({ length: 400 }, (_, at) => ({
        client: 9,
        clock: at,
        text: 'c',
        origin: [genesis, 0] as const,
      }));
      const long = craftUpdate([
        ...many,
        { client: 7, clock: 0, text: 'a', origin: [8, 0] },
        { client: 8, clock: 0, text: 'b', origin: [7, 0] },
      ]);
      assert.equal(await bob.send(long), 'malformed');
      assert.deepEqual([bob.closed, carol.closed], [null, null]);
      assert.equal(await carol.type('!'), 'stored');
      assert.equal((await alice.read('a.md')).body.content, 'x!');
    });
  }
});

onSqlite('the processor time of trials', (open) => {
  const start = notesOnOneServer(open, { trialMs: 1 });

  test('[7.15] an update whose trial takes longer than it may is refused, and its text is kept', async () => {
    const { server, alice } = await start();
    const note = await alice.write('a.md', 'x');
    using bob = await new YjsClient('bob').join(server.app, alice.vault, note.id);
    const before = Y.encodeStateVector(bob.doc);
    const content = bob.doc.getText('content');
    bob.doc.transact(() => {
      for (let index = 0; index < 10_000; index++) content.insert(0, 'q');
    });
    assert.equal(await bob.send(Y.encodeStateAsUpdate(bob.doc, before)), 'costly');
    const { body } = await alice.read('a.md');
    assert.equal(body.content, 'x');
    const kept = await alice.caller.get(`/notes/by-id/${note.id}/versions/${body.version - 1}`);
    assert.equal(kept.body.content, 'q'.repeat(10_000));
    using carol = await new YjsClient('carol').join(server.app, alice.vault, note.id);
    assert.equal(await carol.type('!'), 'stored');
  });
});
