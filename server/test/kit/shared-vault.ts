import assert from 'node:assert/strict';
import { MemoryHub } from '../../src/ports/bus/memory.ts';
import { checkedCallers } from './openapi.ts';
import type { Caller } from './person.ts';
import { oneServer, startServer, type TestServer, type TestServerOptions } from './server.ts';

/**
 * Alice's vault with a note, and the addresses that people call. Every answer is validated against the document.
 * @param from Options of a server, or a server that runs.
 */
export async function startShared(from: TestServerOptions | TestServer) {
  const server = 'url' in from ? from : await startServer(from);
  const checked = await checkedCallers(server);
  const alice = checked(server.alice);
  const bob = checked(server.bob);
  const carol = checked(server.person('carol'));
  const dave = checked(server.person('dave'));
  const { vault } = (await alice.post('/vaults', { name: 'Shared' })).body;
  const headers = { 'x-vault-id': vault.id as string };
  const { note } = (await alice.post('/notes', { path: 'a.md', content: 'one', mtime: 1 }, headers)).body;
  const idOf = async (caller: Caller) => (await caller.get('/me')).body.user.id as string;
  const invite = async (body: object) => {
    const made = await alice.post(`/vaults/${vault.id}/invitations`, body);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return { id: made.body.invitation.id as string, token: tokenOf(made.body.url) };
  };
  return {
    ...{ server, alice, bob, carol, dave, checked, idOf, invite, headers },
    ...{ vault: vault.id as string, note: note.id as string, path: `/vaults/${vault.id}/members` },
    /** Lets somebody into the vault; resolves to their id. */
    async join(caller: Caller, role: 'viewer' | 'editor') {
      const { token } = await invite({ role });
      const joined = await caller.post(`/invitations/${token}/accept`);
      assert.equal(joined.status, 200, JSON.stringify(joined.body));
      return idOf(caller);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/**
 * Alice's vault for each test of a `describe`, on three processes over one database, which hear of each other; what
 * oneServer says holds.
 */
export function sharedOnThree(open: TestServerOptions['open'], config: NonNullable<TestServerOptions['config']> = {}) {
  const hub = new MemoryHub();
  const first = oneServer(() => ({ open, config, bus: hub.join() }));
  const another = () =>
    oneServer(async () => {
      const { db, clock, masterKey, blobs } = await first();
      return { open: async () => db, clock, masterKey, blobs, config, bus: hub.join() };
    });
  const [second, third] = [another(), another()];
  return async () => {
    const shared = await startShared(await first());
    return { shared, servers: [shared.server, await second(), await third()] as const };
  };
}

/** The token in the address of an invitation. */
export function tokenOf(url: string): string {
  const [, token = ''] = /\/invite#(nv_vin_[\w-]+)$/.exec(url) ?? [];
  assert.notEqual(token, '', url);
  return token;
}
