import { pathBelow } from './path-below.ts';

/** Part of the app that the worker caches: its page, or a file whose name changes with its content. */
export type ShellRequest = 'page' | 'file';

const PAGE = /^\/(?:index\.html|(?:vaults|settings|admin)(?:\/.*)?)?$/;
const FILE = /^\/assets\/[\w.-]+$/;
/** Addresses with a secret in them are asked of the server only. */
const SECRETS = ['invite', 'reset'];

/**
 * Reads a request for a part of the app; null for every other one, which the browser then sends as always.
 *
 * @param root the address of the app, which ends in a slash.
 */
export function shellRequestOf(
  { url, method, mode }: Pick<Request, 'url' | 'method' | 'mode'>,
  root: string,
): ShellRequest | null {
  const path = pathBelow(url, root);
  if (path === null || method !== 'GET') return null;
  if (FILE.test(path)) return 'file';
  const { searchParams } = new URL(url);
  const hasSecret = SECRETS.some((name) => searchParams.has(name));
  return mode === 'navigate' && PAGE.test(path) && !hasSecret ? 'page' : null;
}
