/** Returns the path of a URL from `root` on, such as `/vaults/a`; null for a URL that is not below it. */
export function pathBelow(url: string, root: string): string | null {
  const { origin, pathname } = new URL(url);
  const { origin: ownOrigin, pathname: base } = new URL(root);
  return origin === ownOrigin && pathname.startsWith(base) ? pathname.slice(base.length - 1) : null;
}
