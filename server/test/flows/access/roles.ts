import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../../src/ports/database/database.ts';
import { NEEDS, needsOfRow } from '../../kit/operation-variants.ts';
import { type Known, knownOperations, makeWorld, type World } from '../../kit/operations.ts';
import { type Answer, Person } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { OF_THE_OWNER, type Refusal, refusalOf } from './refusals.ts';
import {
  type Credential,
  credentialsOf,
  type Everybody,
  joinAs,
  makeEverybody,
  type SharedWorld,
  type Standing,
  sharedWorld,
} from './standings.ts';

/*
 * Calls every operation that concerns a vault as everybody who has the vault beside its owner, or had it, or never did,
 * with every kind of credential. What must be answered follows from the table of operations, so a new operation is
 * called without a change here. access.ts does the same for the owner.
 *
 * Refused calls and reads change nothing, so they share one vault; each write that is allowed gets one of its own.
 */

/** Reads the state that refused calls must not change. */
async function stateOf(owner: Person, { vault }: World): Promise<unknown> {
  const headers = { 'x-vault-id': vault };
  const asked = [`/vaults/${vault}`, `/vaults/${vault}/members`, '/sync/changes', '/trash', '/folders'];
  return Promise.all(asked.map(async (url) => (await owner.get(url, headers)).body));
}

/** @param isTried which credentials are tried; each by default. */
export function defineRoles(open: () => Promise<Database>, isTried = (_: Credential) => true): void {
  test('members, former members and strangers are answered as their role, level and credential say', {
    timeout: 15 * 60_000,
  }, async (t) => {
    await using server = await startServer({ open, config: { authRateLimit: 100_000 } });
    const known = (await knownOperations(server.anyone)).filter(
      ({ name, rule }) =>
        (rule.vault ?? rule.named) !== undefined && rule.later === undefined && !OF_THE_OWNER.includes(name),
    );
    const vault = await SharedVault.make(server);
    for (const operation of known) await t.test(operation.name, () => askAll(vault, operation, isTried));
  });
}

/** The vault of refused calls and of reads, in which each credential is made once. */
class SharedVault {
  readonly server: TestServer;
  readonly everybody: Everybody;
  readonly world: World;
  /** State that refused calls leave unchanged. */
  readonly state: unknown;
  readonly #tokens: Map<string, Promise<string>>;

  private constructor(server: TestServer, everybody: Everybody, { world, left }: SharedWorld, state: unknown) {
    this.server = server;
    this.everybody = everybody;
    this.world = world;
    this.state = state;
    this.#tokens = new Map([...left].map(([{ name }, token]) => [`removed ${name}`, Promise.resolve(token)]));
  }

  static async make(server: TestServer): Promise<SharedVault> {
    const everybody = await makeEverybody(server, 'roles');
    const shared = await sharedWorld(server, everybody, 'shared', NEEDS);
    return new SharedVault(server, everybody, shared, await stateOf(everybody.owner, shared.world));
  }

  tokenOf(standing: Standing, credential: Credential): Promise<string> {
    const key = `${standing} ${credential.name}`;
    const token = this.#tokens.get(key) ?? credential.make(this.server, this.everybody.people[standing], this.world);
    this.#tokens.set(key, token);
    return token;
  }
}

async function askAll(vault: SharedVault, operation: Known, isTried: (credential: Credential) => boolean) {
  const { server, everybody, world } = vault;
  const { method, rule } = operation;
  const isRead = method === 'GET' || (rule.vault ?? rule.named) === 'read';
  const writers: [Standing, Credential][] = [];
  for (const standing of Object.keys(everybody.people) as Standing[]) {
    for (const credential of credentialsOf(standing).filter(isTried)) {
      const expected = refusalOf(operation, standing, credential) ?? refusalOfOthers(operation, standing);
      if (expected === null && !isRead) {
        writers.push([standing, credential]);
        continue;
      }
      const what = `${operation.name} by ${standing} with ${credential.name}`;
      const answer = await ask(server, operation, world, await vault.tokenOf(standing, credential));
      const answered = expected === null ? [answer.status] : [answer.status, answer.body?.error];
      assert.deepEqual(answered, expected ?? [operation.answers], `${what} → ${JSON.stringify(answer.body)}`);
    }
  }
  const what = `${operation.name}: a call that was refused, or reads, changed something`;
  assert.deepEqual(await stateOf(everybody.owner, world), vault.state, what);
  const person = (name: string) =>
    new Person(server.url, `${operation.name}-${name}`.toLowerCase(), () => server.alice.signed());
  const [owner, writer] = [person('owner'), person('writer')];
  for (const [at, [standing, credential]] of writers.entries()) {
    assert.equal(standing, 'editor', `${operation.name} with ${credential.name}`);
    const own = await makeWorld(owner, `${operation.name}${at}`, needsOfRow(operation));
    await joinAs(writer, 'editor', { owner, vault: own.vault });
    const answer = await ask(server, operation, own, await credential.make(server, writer, own));
    const what = `${operation.name} with ${credential.name} → ${JSON.stringify(answer.body)}`;
    assert.equal(answer.status, operation.answers, what);
  }
}

/** The activity of the shared world is its owner's, and editors undo only their own. */
function refusalOfOthers({ name }: Known, standing: Standing): Refusal | null {
  return name === 'undoActivity' && standing === 'editor' ? [403, 'owner_required'] : null;
}

function ask(server: TestServer, { request, method }: Known, world: World, token: string): Promise<Answer> {
  const { url, body, headers } = request(world);
  return server.bearer(token).call(method, url, body, headers ?? {});
}
