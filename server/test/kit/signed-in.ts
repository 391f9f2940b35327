import { Caller } from './person.ts';
import { registerAt } from './setup-tokens.ts';

const alice = { email: 'alice@example.org', password: 'a long enough password' };

/** Signs alice in at a server, and registers her at the first call; resolves to her access token. */
export async function tokenAt(url: string): Promise<string> {
  const anyone = new Caller(url);
  const signed = await anyone.post('/auth/login', alice);
  const { body } = signed.status === 200 ? signed : await registerAt(url, alice);
  return body.access_token;
}

/** A caller with this token. */
export function bearer(url: string, token: string): Caller {
  return new Caller(url, async () => ({ authorization: `Bearer ${token}` }));
}

/** Alice at a server, signed in. */
export async function aliceAt(url: string): Promise<Caller> {
  return bearer(url, await tokenAt(url));
}
