/** What the search thread does between steps of long work. */
import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import { sealingKey } from '../../engines/keyring/sealing.ts';
import type { NoteMeta, SealedNote } from '../notes/notes.ts';
import { createDesk } from './desk-work.ts';

const none = { from: null, to: null };
const anything = { tags: null, folder: null, type: null, created: none, timestamp: none };
const wish = { mode: 'keyword', filter: anything, limit: 5, diversity: 0, vectorQuery: null, model: null } as const;

/** A desk whose notes lie there as they are: `meta` holds the title, `content` the text. */
function openDesk(maxBytes = 1e9) {
  const dataKey = createSecretKey(randomBytes(32));
  const key = { owner: { kind: 'vault', id: 'v' }, generation: 1, dataKey } as const;
  const text = (bytes: Uint8Array | null) => Buffer.from(bytes ?? new Uint8Array()).toString('utf8');
  const desk = createDesk({
    maxBytes,
    uuid: () => '01900000-0000-7000-8000-000000000000',
    openKey: () => sealingKey(dataKey, key.owner, 1, randomBytes),
    openMeta: (_, { meta }) =>
      ({ path: `${text(meta)}.md`, title: text(meta), tags: [], aliases: [], type: null }) as unknown as NoteMeta,
    openContent: (_, { content }) => text(content),
  });
  const start = (vault: string) => desk.start({ vault, key, epoch: 1, floor: 0, kept: null });
  const feed = (vault: string, notes: readonly SealedNote[]) => desk.feed({ vault, key, notes, upTo: notes.length });
  const find = (vault: string, query: string) =>
    desk.search({ vault, epoch: 1, seq: 1, query, ...wish })?.hits.map(({ title }) => title) ?? null;
  return { desk, start, feed, find };
}

function noteOf(seq: number, title: string, content: string): SealedNote {
  const id = `01900000-0000-7000-8000-${String(seq).padStart(12, '0')}` as NoteId;
  const bytes = { meta: Buffer.from(title), content: Buffer.from(content) };
  return { id, seq: seq as Seq, stamp: 1, version: 1, deleted: false, ...bytes };
}

const longText = Array.from({ length: 20_000 }, (_, at) => `word${at % 5000} search`).join('\n');

test('while a long note is taken in, other vaults are answered, and its own not with half of it', async () => {
  const { start, feed, find } = openDesk();
  for (const vault of ['a', 'b']) start(vault);
  await feed('b', [noteOf(1, 'lantern', 'a lantern by the sea')]);
  let done = false;
  const long = feed('a', [noteOf(1, 'long', longText)]).then(() => {
    done = true;
  });
  await nextTurn();
  assert.equal(done, false);
  assert.deepEqual(find('b', 'lantern'), ['lantern']);
  assert.equal(find('a', 'word7'), null);
  await long;
  assert.deepEqual(find('a', 'word7'), ['long']);
});

test('an index that notes are put into does not make room for another', async () => {
  const { start, feed, find } = openDesk(1);
  start('a');
  const long = feed('a', [noteOf(1, 'long', longText)]);
  await nextTurn();
  start('b');
  await feed('b', [noteOf(1, 'lantern', 'a lantern by the sea')]);
  await long;
  assert.deepEqual(find('a', 'word7'), ['long']);
});
