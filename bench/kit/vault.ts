import { setupFor } from '../../server/test/kit/setup-tokens.ts';

/** Registers the first account of a fresh server and creates its vault; resolves to the headers that write to it. */
export async function signUp(url: string): Promise<Record<string, string>> {
  return join(url, 'alice@example.org');
}

/** Like `signUp`, for another account; registration must be open. */
export async function join(url: string, email: string): Promise<Record<string, string>> {
  const json = { 'content-type': 'application/json' };
  const account = { email, password: 'correct horse battery', ...setupFor(url) };
  const registered = await fetch(`${url}/api/auth/register`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(account),
  });
  const { access_token: token } = (await registered.json()) as { access_token: string };
  const auth = { authorization: `Bearer ${token}` };
  const made = await fetch(`${url}/api/vaults`, {
    method: 'POST',
    headers: { ...json, ...auth },
    body: '{"name":"Bench"}',
  });
  const { vault } = (await made.json()) as { vault: { id: string } };
  return { ...auth, 'x-vault-id': vault.id };
}

/** Makes an API key of the account that signed up. */
export async function newKey(url: string, headers: Record<string, string>): Promise<string> {
  const made = await fetch(`${url}/api/api-keys`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"name":"bench"}',
  });
  return ((await made.json()) as { key: string }).key;
}
