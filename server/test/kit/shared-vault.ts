import assert from 'node:assert/strict';
import { checkedCallers } from './openapi.ts';
import { type Caller, Person } from './person.ts';
import { startServer, type TestServerOptions } from './server.ts';

/** Alice's vault with a note, and the addresses that people call. Every answer is validated against the document. */
export async function startShared(options: TestServerOptions) {
  const server = await startServer(options);
  const checked = await checkedCallers(server);
  const people = ['carol', 'dave'].map((name) => new Person(server.url, name, () => server.alice.signed()));
  const [carol, dave] = people as [Person, Person];
  const alice = checked(server.alice);
  const bob = checked(server.bob);
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
    ...{ server, alice, bob, carol: checked(carol), dave: checked(dave), checked, idOf, invite, headers },
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

/** The token in the address of an invitation. */
export function tokenOf(url: string): string {
  const [, token = ''] = /\/invite#(nv_vin_[\w-]+)$/.exec(url) ?? [];
  assert.notEqual(token, '', url);
  return token;
}
