interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

let policy: ReturnType<TrustedTypes['createPolicy']> | null = null;

/**
 * Declares an address of ours as one of a script. The page requires trusted types, so a worker does not start from a
 * mere string; only scripts of our own server are declared.
 */
export function trustedScriptUrl(url: string): string {
  const absolute = new URL(url, location.href);
  if (absolute.origin !== location.origin) throw new Error('only scripts of this server may run');
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return absolute.href;
  policy ??= trustedTypes.createPolicy('notevault-worker', { createScriptURL: (text) => text });
  return policy.createScriptURL(absolute.href);
}
