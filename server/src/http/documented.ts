import { DOCUMENTED, isListedAsRequired, LISTED_AS_REQUIRED } from '@notevault/protocol/values/schemas.ts';

/** Returns the schemas as the document shows them: with the keywords of `documented` as their own. */
export function asDocumented<Schemas>(schemas: Schemas): Schemas {
  if (Array.isArray(schemas)) return schemas.map(asDocumented) as Schemas;
  if (typeof schemas !== 'object' || schemas === null) return schemas;
  const { [DOCUMENTED]: keywords, ...validated } = schemas as { readonly [DOCUMENTED]?: object };
  const { [LISTED_AS_REQUIRED]: _, ...shown } = { ...validated, ...keywords, ...requiredOf(schemas) } as Keywords;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, asDocumented(value)])) as Schemas;
}

interface Keywords {
  readonly [LISTED_AS_REQUIRED]?: true;
  readonly properties?: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
}

/** Returns the `required` fields of an object, including those that only the document lists. */
function requiredOf({ properties = {}, required = [] }: Keywords): Pick<Keywords, 'required'> {
  const listed = Object.keys(properties).filter((name) => isListedAsRequired(properties[name] ?? {}));
  return listed.length === 0 ? {} : { required: [...required, ...listed] };
}
