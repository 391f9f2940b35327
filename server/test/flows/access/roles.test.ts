import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rule } from '@notevault/protocol/operations.ts';
import { onSqlite } from '../../kit/engines.ts';
import { type Known, knownOperations, type World } from '../../kit/operations.ts';
import type { Person } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import {
  type Credential,
  credentialsOf,
  type Everybody,
  levelOf,
  makeEverybody,
  type SharedWorld,
  type Standing,
  sharedWorld,
} from './standings.ts';

/*
 * Calls every operation that concerns a vault as everybody who has the vault beside its owner, or had it, or never did,
 * with every kind of credential. What must be answered follows from the table of operations, so a new operation is
 * called without a change here. access.ts does the same for the owner.
 */

type Refusal = readonly [status: number, error: string];

/** Deleted vaults are those of their owner only. */
const OF_DELETED_VAULTS = ['restoreVault', 'purgeVault'];
/** Their rows name things of the owner alone: a code that the owner has claimed, and an import. */
const OF_THE_OWNER = ['authorizeDevice', 'applyImport'];

function refusal({ name, rule }: Known, standing: Standing, credential: Credential): Refusal | null {
  const { who, vault, named, role: least }: Rule = rule;
  const { isSession } = credential;
  const reached = levelOf(standing, credential);
  if (reached === 'ended') return [401, 'unauthorized'];
  if (who === 'session' && !isSession) return [403, 'api_key_not_allowed'];
  const unknown: Refusal =
    vault !== undefined || name === 'startImport' ? [404, 'Vault not found'] : [404, 'not found'];
  if (standing === 'removed' || standing === 'stranger' || OF_DELETED_VAULTS.includes(name)) return unknown;
  if (reached === 'none') return vault === undefined ? unknown : [403, 'API key does not have access to this vault'];
  const lacksRole = least === 'owner' || (least === 'editor' && standing === 'viewer');
  const lacksLevel = (vault ?? named) === 'write' && reached === 'read';
  const required: Refusal = least === 'owner' ? [403, 'owner_required'] : [403, 'insufficient_access'];
  // The vault of a request is opened first, one that is named is looked at as a whole.
  if (lacksLevel && (vault !== undefined || !lacksRole)) return [403, 'insufficient_access'];
  // Members may remove themselves only.
  if (lacksRole || name === 'removeMember') return name === 'removeMember' ? [403, 'owner_required'] : required;
  return null;
}

/** What refused calls must not change. */
async function stateOf(owner: Person, { vault }: World): Promise<unknown> {
  const headers = { 'x-vault-id': vault };
  const asked = [`/vaults/${vault}`, `/vaults/${vault}/members`, '/sync/changes', '/trash', '/folders'];
  return Promise.all(asked.map(async (url) => (await owner.get(url, headers)).body));
}

onSqlite('every operation that concerns a vault', (open) => {
  test('members, former members and strangers are answered as their role, level and credential say', {
    timeout: 15 * 60_000,
  }, async (t) => {
    await using server = await startServer({ open, config: { authRateLimit: 100_000 } });
    const known = (await knownOperations(server.anyone)).filter(
      ({ name, rule }) =>
        (rule.vault ?? rule.named) !== undefined && rule.later === undefined && !OF_THE_OWNER.includes(name),
    );
    for (const operation of known) {
      const everybody = await makeEverybody(server, operation.name);
      await t.test(operation.name, () => askAll(server, everybody, operation));
    }
  });
});

async function askAll(server: TestServer, everybody: Everybody, operation: Known): Promise<void> {
  let made = 0;
  const fresh = () =>
    sharedWorld(
      server,
      everybody,
      `${operation.name}${++made}`,
      operation.needs === undefined ? [] : [operation.needs],
    );
  let shared: SharedWorld | undefined = await fresh();
  const before = await stateOf(everybody.owner, shared.world);
  const allowed: [Person, Credential][] = [];
  for (const [standing, person] of Object.entries(everybody.people) as [Standing, Person][]) {
    for (const credential of credentialsOf(standing)) {
      const expected = refusal(operation, standing, credential);
      if (expected === null) {
        allowed.push([person, credential]);
        continue;
      }
      const token = standing === 'removed' ? shared.left.get(credential) : undefined;
      const by = { person, credential, standing, token };
      const { answer, what } = await ask(server, operation, shared.world, by);
      assert.deepEqual([answer.status, answer.body?.error], expected, what);
    }
  }
  assert.deepEqual(
    await stateOf(everybody.owner, shared.world),
    before,
    `${operation.name}: a refused call changed something`,
  );
  for (const [person, credential] of allowed) {
    shared ??= await fresh();
    const { answer, what } = await ask(server, operation, shared.world, { person, credential, standing: 'member' });
    assert.equal(answer.status, operation.answers, what);
    if (operation.method !== 'GET') shared = undefined;
  }
}

interface By {
  readonly person: Person;
  readonly credential: Credential;
  readonly standing: string;
  /** Of the credential, if it was made before. */
  readonly token?: string | undefined;
}

async function ask(server: TestServer, operation: Known, world: World, { person, credential, standing, token }: By) {
  const by = server.bearer(token ?? (await credential.make(server, person, world)));
  const { url, body, headers } = operation.request(world);
  const answer = await by.call(operation.method, url, body, headers ?? {});
  const what = `${operation.name} by ${standing} with ${credential.name} → ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 200)}`;
  return { answer, what };
}
