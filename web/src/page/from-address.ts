/** Takes a secret out of the address, so that it does not stay in the history of the browser. */
export function takeFromAddress(name: string): string | null {
  const address = new URL(location.href);
  const fragment = new URLSearchParams(address.hash.slice(1));
  const value = address.searchParams.get(name) ?? fragment.get(name);
  if (value === null) return null;
  address.searchParams.delete(name);
  fragment.delete(name);
  address.hash = fragment.toString();
  history.replaceState(history.state, '', address);
  return value;
}
