import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { SlowCall, watchDecisions } from '../../kit/clients/slow-call.ts';
import { type Known, knownOperations } from '../../kit/operations.ts';
import type { TestServer, TestServerOptions } from '../../kit/server.ts';
import type { Refusal } from './refusals.ts';
import { makerOfScenes, mayCall, type Removal, removals, type Scene, tokenOf } from './removals.ts';
import { assertRefused, slowSlice, slowTicket, slowTool } from './slow-calls.ts';
import { type Credential, credentials } from './standings.ts';

/*
 * The matrix of access in its slow form: operations that were let in before a right was taken away, and whose bodies end
 * after it. The answers follow from the table of operations, as in roles.ts.
 */

/** A call that has begun, and its answer once the right is gone; null if it is carried out. */
interface Begun {
  readonly operation: Known;
  readonly call: SlowCall;
  readonly expected: Refusal | null;
}

/** Returns the parts of a world that a refused call must not change. */
async function stateOf({ server, owner, world }: Scene): Promise<unknown> {
  const asked = ['/sync/changes', '/trash', '/folders', '/connections', '/me/sessions', '/me/preferences'];
  const bodies = asked.map(async (url) => (await owner.get(url, { 'x-vault-id': world.vault })).body);
  return Promise.all([...bodies, server.app.vaults.changeSeqs([world.vault as VaultId])]);
}

function begin(server: TestServer, { method, request }: Known, { world }: Scene, token: string): SlowCall {
  const { url, body, headers } = request(world);
  return new SlowCall(server, method, url, body, { authorization: `Bearer ${token}`, ...headers });
}

/** Returns the operations of a credential that a removal affects, and a write if the credential keeps that right. */
function expectations(known: readonly Known[], removal: Removal, credential: Credential): [Known, Refusal | null][] {
  return known
    .filter((operation) => mayCall(operation, removal, credential))
    .map((operation): [Known, Refusal | null] => [operation, removal.refusal(operation, credential)])
    .filter(([{ name }, refusal]) => refusal !== null || name === 'createFolder');
}

async function check(scene: Scene, known: readonly Known[], removal: Removal, credential: Credential): Promise<number> {
  const { server } = scene;
  const token = await tokenOf(scene, removal, credential);
  const expected = expectations(known, removal, credential);
  const losesVault = expected.some(([{ name }, refusal]) => name === 'upsertNote' && refusal !== null);
  using decisions = watchDecisions(server);
  const begun = expected.map(([operation, refusal]): Begun => {
    return { operation, call: begin(server, operation, scene, token), expected: refusal };
  });
  const others = losesVault
    ? [
        await slowSlice(scene, token, 'slice.txt', 2),
        await slowTicket(scene, token, 'ticket.txt', {}),
        slowTool(scene, token),
      ]
    : [];
  // The upload and the ticket were made, and the slice, the ticket and the tool were let in.
  const [callers, opened] = losesVault ? [4, 4] : [0, 0];
  await decisions.decided(
    begun.length + callers,
    begun.filter(({ operation }) => operation.rule.vault !== undefined).length + opened,
  );
  const { status } = await removal.take(scene);
  assert.ok(status < 300, `${status}`);
  const before = await stateOf(scene);
  const [refused, kept] = [
    begun.filter((each) => each.expected !== null),
    begun.filter((each) => each.expected === null),
  ];
  const answers = await Promise.all(refused.map(({ call }) => call.end()));
  for (const [at, { status, body }] of answers.entries()) {
    // A slow machine cuts a slow body itself, which changes nothing either.
    if (status === 408) continue;
    const answered = [status, (body as { error?: string } | null)?.error];
    assert.deepEqual(answered, refused[at]?.expected, `${refused[at]?.operation.name} → ${JSON.stringify(body)}`);
  }
  for (const other of others) assertRefused(await other.end());
  assert.deepEqual(await stateOf(scene), before, 'a refused call changed something');
  for (const { call, operation } of kept) {
    const { status, body } = await call.end();
    assert.ok([operation.answers, 408].includes(status), `${operation.name} → ${status} ${JSON.stringify(body)}`);
  }
  return begun.length + others.length;
}

/** @param isTried which credentials are tried with a removal, by their places; each by default. */
export function defineSlowMatrix(
  open: TestServerOptions['open'],
  isTried: (removal: number, credential: number) => boolean = () => true,
): void {
  const makeScene = makerOfScenes(open);
  for (const [at, [name, removal]] of Object.entries(removals).entries()) {
    for (const [number, credential] of credentials.entries()) {
      if (!isTried(at, number)) continue;
      // The vault, which most credentials name, is not the admin's.
      if (removal.holder === 'admin' && !credential.isSession) continue;
      test(`is refused when ${name}, with ${credential.name}`, async (t) => {
        const scene = await makeScene(`slow${at}-${number}`);
        const known = (await knownOperations(scene.server.anyone)).filter(
          // There is no upload of which a slice could be sent: slowSlice makes one.
          ({ name: operation, request }) => request(scene.world).body !== undefined && operation !== 'appendToUpload',
        );
        t.diagnostic(`${await check(scene, known, removal, credential)} calls`);
      });
    }
  }
}
