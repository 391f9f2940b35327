/** Writes that are under way in one process while a right is taken away in another, which no hint tells of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Seq, VaultId } from '@notevault/protocol/values/ids.ts';
import { FlakySocket } from '../kit/clients/provider-clients.ts';
import { onEachEngine } from '../kit/engines.ts';
import { Caller } from '../kit/person.ts';
import { oneServer } from '../kit/server.ts';
import { startShared } from '../kit/shared-vault.ts';
import { until } from '../kit/until.ts';

const callerAt = (url: string, token: string) => new Caller(url, async () => ({ authorization: `Bearer ${token}` }));

const ROUNDS = 8;
const WRITERS = 12;

onEachEngine('nothing that began before a right was taken away', (open) => {
  const first = oneServer(() => ({ open }));
  const second = oneServer(async () => {
    const { db, clock, masterKey, blobs } = await first();
    return { open: async () => db, clock, masterKey, blobs };
  });
  type Shared = Awaited<ReturnType<typeof startShared>>;
  const seqOf = async ({ server, vault }: Shared) =>
    (await server.app.vaults.changeSeqs([vault as VaultId])).get(vault as VaultId) as Seq;

  /** Lets somebody write until a removal has been answered; checks that nothing of it commits after that. */
  async function race(shared: Shared, writer: Caller, take: () => Promise<{ readonly status: number }>) {
    const { headers } = shared;
    let [isOver, written] = [false, 0];
    const write = async (number: number) => {
      for (let at = 0; !isOver; at++) {
        const path = `${number}-${at % 3}.md`;
        const { status } = await writer.post('/notes', { path, content: `${at}`, mtime: 1 }, headers);
        if (status !== 200) return;
        written += 1;
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, number) => write(number));
    await until(() => written > WRITERS);
    const { status } = await take();
    const seq = await seqOf(shared);
    isOver = true;
    assert.ok(status < 300, `${status}`);
    await Promise.all(writers);
    assert.equal(await seqOf(shared), seq);
  }

  test('by notes of a member commits after the removal was answered', async () => {
    const shared = await startShared(await first());
    const { url } = await second();
    const { server, alice, bob, path } = shared;
    const { accessToken } = await server.bob.signed();
    const writer = callerAt(url, accessToken);
    for (let round = 0; round < ROUNDS; round++) {
      const id = await shared.join(bob, 'editor');
      const lowers = round % 2 === 1;
      await race(shared, writer, () =>
        lowers ? alice.patch(`${path}/${id}`, { role: 'viewer' }) : alice.delete(`${path}/${id}`),
      );
      if (lowers) await alice.delete(`${path}/${id}`);
    }
  });

  test('by notes of a key commits after the key was revoked', async () => {
    const shared = await startShared(await first());
    const { url } = await second();
    for (let round = 0; round < ROUNDS; round++) {
      const { id, key } = (await shared.alice.post('/api-keys', { name: 'k' })).body;
      await race(shared, callerAt(url, key), () => shared.alice.delete(`/api-keys/${id}`));
    }
  });

  test('by a socket is stored after the removal was answered, and what was acknowledged stays', async () => {
    const shared = await startShared(await first());
    const { url } = await second();
    const { server, alice, bob, headers, note, path } = shared;
    const id = await shared.join(bob, 'editor');
    using line = new FlakySocket(url);
    using typing = await line.open(note, (await server.bob.signed()).accessToken).synced();
    typing.type(' kept');
    await typing.synced();
    assert.equal((await alice.delete(`${path}/${id}`)).status, 204);
    typing.type(' lost');
    await until(() => typing.received.closed.length > 0 || line.closes.length > 0);
    const { content } = (await alice.get(`/notes/by-id/${note}`, headers)).body;
    assert.equal(content, 'one kept');
  });
});
