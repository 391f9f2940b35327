import assert from 'node:assert/strict';
import type { Answer, Caller } from '../person.ts';
import type { TestServer } from '../server.ts';

/** Headers with which a device identifies itself. */
export const DEVICE = { 'x-device-id': 'laptop', 'user-agent': 'Pad/1.0' };

/** Starts a link, as the device does. */
export async function begin({ anyone }: TestServer, names: object = {}) {
  const answer = await anyone.post('/auth/device', names);
  assert.equal(answer.status, 200);
  return answer.body as { device_code: string; user_code: string };
}

/** The id of a new vault. */
export async function vaultOf(person: Caller, name = 'Home'): Promise<string> {
  return (await person.post('/vaults', { name })).body.vault.id;
}

/** Asks for tokens, as the device does. */
export function poll({ anyone }: TestServer, device_code: string): Promise<Answer> {
  return anyone.post('/auth/device/token', { device_code }, DEVICE);
}

/** Decides about a link, as a person does. */
export function decide(person: Caller, user_code: string, more: object): Promise<Answer> {
  return person.post('/auth/device/authorize', { user_code, ...more });
}

/** A device that is linked to a vault of alice. */
export async function linked(server: TestServer, names: object = {}) {
  const vault = await vaultOf(server.alice);
  const link = await begin(server, names);
  assert.equal((await decide(server.alice, link.user_code, { vault_id: vault })).status, 200);
  const { status, body } = await poll(server, link.device_code);
  assert.equal(status, 200);
  return { vault, ...(body as { access_token: string; refresh_token: string }) };
}
