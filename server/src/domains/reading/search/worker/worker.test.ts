import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NoteId, Seq } from '@notevault/protocol/values/ids.ts';
import { NO_FILTER } from '@notevault/search-index/query/search-filter.ts';
import { sealingKey } from '../../../../ports/keyring/sealing.ts';
import type { NoteMeta, SealedNote } from '../../../content/notes/notes.ts';
import { SearchWorker } from './worker.ts';

const options = {
  mode: 'keyword',
  filter: NO_FILTER,
  limit: 5,
  diversity: 0,
  returned: new Set<string>(),
  vectorQuery: null,
  isPartial: false,
  model: null,
} as const;

/** A worker whose notes are not sealed: `meta` holds the title, `content` the text. */
function openWorker(maxBytes = 1e9) {
  const dataKey = createSecretKey(randomBytes(32));
  const key = { owner: { kind: 'vault', id: 'v' }, generation: 1, dataKey } as const;
  const text = (bytes: Uint8Array | null) => Buffer.from(bytes ?? new Uint8Array()).toString('utf8');
  const worker = new SearchWorker({
    maxBytes,
    uuid: () => '01900000-0000-7000-8000-000000000000',
    openKey: () => sealingKey(dataKey, key.owner, 1, randomBytes),
    openMeta: (_, { meta }) =>
      ({ path: `${text(meta)}.md`, title: text(meta), tags: [], aliases: [], type: null }) as unknown as NoteMeta,
    openContent: (_, { content }) => text(content),
  });
  const create = (vault: string) => worker.createIndex({ vault, key, epoch: 1, floor: 0, stored: null });
  const add = (vault: string, notes: readonly SealedNote[]) =>
    worker.addNotes({ vault, key, notes, upTo: notes.length });
  const find = (vault: string, query: string) =>
    worker.search({ vault, epoch: 1, seq: 1, query, ...options })?.hits.map(({ title }) => title) ?? null;
  return { create, add, find };
}

function noteOf(seq: number, title: string, content: string): SealedNote {
  const id = `01900000-0000-7000-8000-${String(seq).padStart(12, '0')}` as NoteId;
  const bytes = { meta: Buffer.from(title), content: Buffer.from(content) };
  return {
    id,
    seq: seq as Seq,
    revision: 1,
    version: 1,
    deleted: false,
    file: { created: 0, modified: 0, changed: 0, size: 0 },
    ...bytes,
  };
}

const longText = Array.from({ length: 20_000 }, (_, at) => `word${at % 5000} search`).join('\n');

test('the worker searches other vaults while it adds a long note, and never finds half of the note', async () => {
  const { create, add, find } = openWorker();
  for (const vault of ['a', 'b']) create(vault);
  await add('b', [noteOf(1, 'lantern', 'a lantern by the sea')]);
  let done = false;
  const long = add('a', [noteOf(1, 'long', longText)]).then(() => {
    done = true;
  });
  await nextTurn();
  assert.equal(done, false);
  assert.deepEqual(find('b', 'lantern'), ['lantern']);
  assert.equal(find('a', 'word7'), null);
  await long;
  assert.deepEqual(find('a', 'word7'), ['long']);
});

test('the worker does not drop an index while notes are added to it', async () => {
  const { create, add, find } = openWorker(1);
  create('a');
  const long = add('a', [noteOf(1, 'long', longText)]);
  await nextTurn();
  create('b');
  await add('b', [noteOf(1, 'lantern', 'a lantern by the sea')]);
  await long;
  assert.deepEqual(find('a', 'word7'), ['long']);
});
