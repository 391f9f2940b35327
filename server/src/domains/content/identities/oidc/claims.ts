/**
 * Returns whether a claim has a value: as its text, or in its list. The name is that of a claim, or a path through
 * objects such as `realm_access.roles`.
 */
export function hasClaim(
  claims: Readonly<Record<string, unknown>>,
  { name, value }: { readonly name: string; readonly value: string },
): boolean {
  const found = Object.hasOwn(claims, name) ? claims[name] : name.split('.').reduce<unknown>(fieldOf, claims);
  return [found].flat().includes(value);
}

function fieldOf(from: unknown, name: string): unknown {
  const isObject = typeof from === 'object' && from !== null && Object.hasOwn(from, name);
  return isObject ? (from as Readonly<Record<string, unknown>>)[name] : undefined;
}
