import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENT_LEVEL, OLDEST_CLIENT_LEVEL } from '@notevault/protocol/client-level.ts';
import { onSqlite } from '../../../server/test/kit/engines.ts';
import { startServer } from '../../../server/test/kit/server.ts';
import { noToken } from '../src/tokens.ts';
import { Transport } from '../src/transport.ts';
import { requireFit } from '../src/version-fit.ts';

const answering = (health: object) =>
  new Transport('https://notes.example.org', noToken, { fetch: async () => Response.json(health), tries: 1 });

test('a client says which of client and server is too old for the other', async () => {
  const levels = (client_level: number, oldest_client_level: number) =>
    answering({ status: 'ok', version: '3.0.0', client_level, oldest_client_level });
  await requireFit(levels(5, 3), 3);
  await requireFit(levels(5, 3), 5);
  await assert.rejects(requireFit(levels(5, 3), 6), { older: 'server', serverVersion: '3.0.0' });
  await assert.rejects(requireFit(levels(5, 3), 2), { older: 'client', serverVersion: '3.0.0' });
  const unreleased = { client_level: CLIENT_LEVEL, oldest_client_level: OLDEST_CLIENT_LEVEL };
  await requireFit(answering({ status: 'ok', version: '0.3.0-dev', ...unreleased }));
  // Up to 0.2.0 a server says nothing of levels.
  await assert.rejects(requireFit(answering({ status: 'ok', version: '0.2.0' })), { older: 'server' });
});

onSqlite('this server', (open) => {
  test('serves clients of each level from the oldest one on, and no others', async () => {
    await using server = await startServer({ open });
    const transport = new Transport(server.url, noToken);
    for (let level = OLDEST_CLIENT_LEVEL; level <= CLIENT_LEVEL; level++) await requireFit(transport, level);
    await assert.rejects(requireFit(transport, OLDEST_CLIENT_LEVEL - 1), { older: 'client' });
    await assert.rejects(requireFit(transport, CLIENT_LEVEL + 1), { older: 'server' });
  });
});
