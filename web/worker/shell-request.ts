/** Part of the app that the worker caches: its page, or a file whose name changes with its content. */
export type ShellRequest = 'page' | 'file';

const PAGE = /^\/(?:index\.html|(?:vaults|settings|admin)(?:\/.*)?)?$/;
const FILE = /^\/assets\/[\w.-]+$/;
/** Addresses with a secret in them are asked of the server only. */
const SECRETS = ['invite', 'reset'];

/** Reads a request for a part of the app; null for every other one, which the browser then sends as always. */
export function shellRequestOf(
  { url, method, mode }: Pick<Request, 'url' | 'method' | 'mode'>,
  origin: string,
): ShellRequest | null {
  const address = new URL(url);
  if (address.origin !== origin || method !== 'GET') return null;
  if (FILE.test(address.pathname)) return 'file';
  const hasSecret = SECRETS.some((name) => address.searchParams.has(name));
  return mode === 'navigate' && PAGE.test(address.pathname) && !hasSecret ? 'page' : null;
}
