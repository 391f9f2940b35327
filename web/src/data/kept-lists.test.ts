import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import { isKeptList, KeptLists } from './kept-lists.ts';

const VAULTS = ['vaults'];
const away = async () => {
  throw new ConnectionError('away');
};

function device({ mayAnswer = true, isFull = false } = {}) {
  const rows = new Map<string, unknown>();
  const server = { mayAnswer };
  const lists = new KeptLists({
    store: {
      read: async (key) => rows.get(key),
      async write(key, list) {
        if (isFull) throw new DOMException('full', 'QuotaExceededError');
        rows.set(key, list);
      },
      async tidy(isWanted) {
        for (const key of rows.keys()) if (!isWanted(key)) rows.delete(key);
      },
    },
    mayAnswer: () => server.mayAnswer,
  });
  return { rows, server, lists };
}

test('a list is what the server answers, and what the device has while it is away', async () => {
  const { lists, server } = device();
  assert.deepEqual(await lists.answer(VAULTS, async () => ['new']), ['new']);
  await lists.keep(VAULTS, ['new']);
  assert.deepEqual(await lists.answer(VAULTS, away), ['new']);
  assert.deepEqual(await lists.answer(VAULTS, async () => Promise.reject(new ApiError(503, {}, null))), ['new']);
  // The server is not even asked while it is known to be away.
  server.mayAnswer = false;
  assert.deepEqual(await lists.answer(VAULTS, async () => assert.fail('asked')), ['new']);
});

test('a refusal is no absence, and a list that the device does not have is asked for', async () => {
  const { lists } = device({ mayAnswer: false });
  await assert.rejects(lists.answer(VAULTS, away), ConnectionError);
  await lists.keep(VAULTS, ['old']);
  const { lists: answered } = device();
  await answered.keep(VAULTS, ['old']);
  const refused = async () => Promise.reject(new ApiError(403, { error: 'suspended' }, null));
  await assert.rejects(answered.answer(VAULTS, refused), { code: 'suspended' });
});

test('a list that was shown from the device is read again once, and does not pass for a newer one', async () => {
  const { lists, rows } = device();
  await lists.keep(VAULTS, ['kept']);
  await lists.answer(VAULTS, away);
  await lists.keep(VAULTS, ['shown']);
  assert.deepEqual([...rows.values()], [['kept']]);
  assert.deepEqual(lists.takeShown(), [VAULTS]);
  assert.deepEqual(lists.takeShown(), []);
  await lists.keep(VAULTS, ['newer']);
  assert.deepEqual([...rows.values()], [['newer']]);
});

test('a device that is full keeps what it has', async () => {
  const { lists } = device({ isFull: true });
  await lists.keep(VAULTS, ['new']);
  await assert.rejects(lists.answer(VAULTS, away), ConnectionError);
});

test('only the lists that the app opens with are kept', () => {
  const kept = [
    ['me'],
    VAULTS,
    ['vault', 'v', 'tree'],
    ['vault', 'v', 'lists', 'recent'],
    ['vault', 'v', 'lists', 'tags'],
  ];
  const others = [
    ['vaults', 'deleted'],
    ['sessions'],
    ['admin', 'users'],
    ['vault', 'v', 'notes', 'n'],
    ['vault', 'v', 'lists', 'search', { query: 'q' }],
  ];
  assert.deepEqual(kept.filter(isKeptList), kept);
  assert.deepEqual(others.filter(isKeptList), []);
});

test('what is kept of a vault that the account has no more is removed', async () => {
  const { lists, rows } = device();
  const keys = [VAULTS, ['vault', 'own', 'tree'], ['vault', 'lost', 'tree'], ['vault', 'lost', 'lists', 'recent']];
  for (const key of keys) await lists.keep(key, []);
  await lists.tidy(new Set(['own']));
  assert.deepEqual([...rows.keys()], ['["vaults"]', '["vault","own","tree"]']);
});
