import { DOCUMENTED } from '@notevault/protocol/values/schemas.ts';

/** The same schemas as the document shows them: with the keywords of `documented` as their own. */
export function asDocumented<Schemas>(schemas: Schemas): Schemas {
  if (Array.isArray(schemas)) return schemas.map(asDocumented) as Schemas;
  if (typeof schemas !== 'object' || schemas === null) return schemas;
  const { [DOCUMENTED]: keywords, ...validated } = schemas as { readonly [DOCUMENTED]?: object };
  const shown = Object.entries({ ...validated, ...keywords });
  return Object.fromEntries(shown.map(([key, value]) => [key, asDocumented(value)])) as Schemas;
}
