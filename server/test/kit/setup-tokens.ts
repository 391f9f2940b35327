import { type Answer, Caller, type Headed } from './person.ts';

/** The setup tokens that started servers printed, by address, until an account takes one. */
const printed = new Map<string, string>();

/** Remembers the setup token in what a server printed at its start, which it does in one write; returns its address. */
export function addressIn(output: string): string | undefined {
  const url = /Notevault listens on (\S+)\n/.exec(output)?.[1];
  const token = /#setup=(\S+)\n/.exec(output)?.[1];
  if (url !== undefined && token !== undefined) printed.set(url, decodeURIComponent(token));
  return url;
}

/** The field that the next account at the server is registered with: its setup token, if it is the first one. */
export function setupFor(url: string): { readonly setup_token?: string } {
  // A server with a path or a name in its public URL prints the address on which it listens.
  const origin = new URL(url).origin.replace('//localhost:', '//127.0.0.1:');
  const token = printed.get(origin);
  printed.delete(origin);
  return token === undefined ? {} : { setup_token: token };
}

/** Registers an account at a server in a process of its own. */
export function registerAt(url: string, account: object, headers: Headed = {}): Promise<Answer> {
  return new Caller(url).post('/auth/register', { ...account, ...setupFor(url) }, headers);
}
