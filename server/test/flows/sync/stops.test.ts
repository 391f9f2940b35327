import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ServerStopped, ServerUnreachable, VaultGone } from '@notevault/sync/engine/ports.ts';
import { NO_STATUS } from '@notevault/sync/run/sync-status.ts';
import { runOnce } from '../../../../cli/src/sync/run/run-once.ts';
import { readStatus } from '../../../../cli/src/sync/state/status-file.ts';
import { onSqlite } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

/** False answers of a server to requests for changes. */
const noVault = () => Response.json({ error: 'Vault not found' }, { status: 404 });
const changes = (rows: readonly object[]) =>
  Response.json({ changes: rows, has_more: false, resume_cursor: 'next', next_cursor: null });

onSqlite('a sync that a server stops, or that finds the vault empty', (open) => {
  const folder = suiteFolder();

  /** A machine with eight files that are in step, and a way to end its credential. */
  async function syncedMachine(server: TestServer, home: string) {
    const { key, id } = (await server.alice.post('/api-keys', { name: home })).body;
    const vaultId = (await server.alice.post('/vaults', { name: home })).body.vault.id as string;
    const machine = new SyncMachine({ home: folder.at(home), url: server.url, key, vaultId });
    for (let index = 0; index < 4; index++) {
      machine.put(`f/${index}.md`, `${index}\n`);
      machine.put(`${index}.txt`, `${index}`);
    }
    await machine.sync();
    return { machine, vaultId, revoke: () => server.alice.delete(`/api-keys/${id}`) };
  }

  /** Runs with every deletion approved, and expects the folder to stay as it is. */
  async function keepsAll(machine: SyncMachine, run: () => Promise<unknown>): Promise<void> {
    const before = machine.contents;
    assert.equal(before.size, 8);
    await run();
    assert.deepEqual(machine.contents, before);
  }

  it('a sync deletes nothing when the vault was deleted or purged, or the credential revoked', async () => {
    await using server = await startServer({ open });
    const ends: [string, (vaultId: string, revoke: () => Promise<unknown>) => Promise<unknown>, string, RegExp][] = [
      ['deleted', (vaultId) => server.alice.delete(`/vaults/${vaultId}`), VaultGone.name, /the vault was deleted/],
      [
        'purged',
        async (vaultId) => {
          await server.alice.delete(`/vaults/${vaultId}`);
          const { status } = await server.alice.post(`/vaults/${vaultId}/purge`, {});
          assert.ok(status < 300, `${status}`);
        },
        VaultGone.name,
        /the vault was deleted/,
      ],
      ['revoked', (_, revoke) => revoke(), ServerStopped.name, /no longer knows this device/],
    ];
    for (const [home, end, name, message] of ends) {
      const { machine, vaultId, revoke } = await syncedMachine(server, home);
      await end(vaultId, revoke);
      machine.remove('0.txt');
      machine.put('0.txt', '0');
      await keepsAll(machine, () => assert.rejects(machine.run(), { name, message }));
    }
  });

  it('a sync reports in its status what is pending while the server is unreachable, as far as known', async () => {
    await using server = await startServer({ open });
    const { machine, vaultId } = await syncedMachine(server, 'offline');
    const statusAfter = async (run: () => Promise<unknown>) => {
      await run();
      const { state, waitingUp, waitingDown, oldestUnsent } = (await readStatus(machine.place)) ?? NO_STATUS;
      return { state, waitingUp, waitingDown, oldest: oldestUnsent?.path ?? null };
    };
    const online = () => machine.open((sync) => runOnce(sync));
    const offline = () => machine.open((sync) => assert.rejects(runOnce(sync), { name: ServerUnreachable.name }));
    machine.answer = () => Response.json({ error: 'busy' }, { status: 503, headers: { 'retry-after': '0' } });
    assert.deepEqual(await statusAfter(offline), { state: 'offline', waitingUp: 0, waitingDown: 0, oldest: null });
    machine.put('f/0.md', '0\nedited offline\n');
    machine.put('f/new.md', 'new\n');
    const waiting = { state: 'offline', waitingUp: 2, waitingDown: 0 };
    const { oldest, ...found } = await statusAfter(offline);
    assert.deepEqual(found, waiting);
    assert.ok(oldest === 'f/0.md' || oldest === 'f/new.md', `${oldest}`);
    // What the vault has is known from the feed, although the file itself could not be read.
    const at = { 'x-vault-id': vaultId };
    await server.alice.post('/notes', { path: 'there.md', content: 'there\n', mtime: 1 }, at);
    machine.answer = (url) => (url.pathname === '/api/sync/changes' ? null : Response.json({}, { status: 502 }));
    assert.deepEqual(await statusAfter(offline), { ...waiting, waitingDown: 1, oldest });
    machine.answer = () => null;
    assert.deepEqual(await statusAfter(online), { state: 'in step', waitingUp: 0, waitingDown: 0, oldest: null });
  });

  const answers: [string, () => Response, typeof ServerStopped | typeof ServerUnreachable | typeof VaultGone][] = [
    ['401', () => Response.json({ error: 'unauthorized' }, { status: 401 }), ServerStopped],
    ['403', () => Response.json({ error: 'forbidden' }, { status: 403 }), ServerStopped],
    ['Vault not found', noVault, VaultGone],
    ['500', () => Response.json({ error: 'internal' }, { status: 500 }), ServerUnreachable],
    [
      '503',
      () => Response.json({ error: 'busy' }, { status: 503, headers: { 'retry-after': '0' } }),
      ServerUnreachable,
    ],
  ];
  for (const [what, answer, error] of answers) {
    it(`a sync deletes nothing after an answer ${what}, and goes on once that has passed`, async () => {
      await using server = await startServer({ open });
      const { machine } = await syncedMachine(server, what);
      machine.answer = () => answer();
      await keepsAll(machine, () => assert.rejects(machine.run(), { name: error.name }));
      machine.answer = () => null;
      assert.equal((await machine.sync()).done, 0);
    });
  }

  it('a sync deletes nothing when the feed begins anew and lists nothing, or fails on the way', async () => {
    await using server = await startServer({ open });
    const feeds: [string, () => Response][] = [
      ['empty', () => changes([])],
      ['failing', () => Response.json({ error: 'internal' }, { status: 500 })],
      ['expired again and again', () => Response.json({ error: 'history_expired' }, { status: 410 })],
    ];
    for (const [home, fromTheStart] of feeds) {
      const { machine } = await syncedMachine(server, home);
      let isEmpty = false;
      machine.answer = (url) => {
        // An empty feed is one of a moment: later the server tells the truth again.
        if (url.pathname !== '/api/sync/changes' || isEmpty) return null;
        if (!url.searchParams.has('cursor')) {
          isEmpty = home === 'empty';
          return fromTheStart();
        }
        return Response.json({ error: 'history_expired' }, { status: 410 });
      };
      if (home === 'empty') await keepsAll(machine, () => machine.run());
      else await keepsAll(machine, () => assert.rejects(machine.run(), { name: ServerUnreachable.name }));
      assert.deepEqual(
        machine.requests.filter((request) => /^DELETE|delete/.test(request)),
        [],
      );
      machine.answer = () => null;
      await keepsAll(machine, () => machine.run());
    }
  });

  it('a sync compares anew after a new feed epoch, and brings back what the vault lost', async () => {
    await using server = await startServer({ open });
    const { machine, vaultId } = await syncedMachine(server, 'epoch');
    const at = { 'x-vault-id': vaultId };
    // As after a backup was restored in which two files did not exist yet.
    const rows = (await server.alice.get('/sync/changes', at)).body.changes as { path: string; id: string }[];
    const kept = rows.filter(({ path }) => path !== 'f/0.md' && path !== '0.txt');
    let isRestored = true;
    machine.answer = (url) => {
      if (url.pathname !== '/api/sync/changes' || !isRestored) return null;
      if (url.searchParams.has('cursor')) return Response.json({ error: 'history_expired' }, { status: 410 });
      isRestored = false;
      return changes(kept);
    };
    await keepsAll(machine, () => machine.run());
    assert.ok(
      machine.requests.some((request) => request.startsWith('POST /notes')),
      machine.requests.join('\n'),
    );
  });
});
