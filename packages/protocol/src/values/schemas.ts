import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/** `schema` or null, in a form for which the serialiser need not try alternatives. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { type, ...rest } = schema as Schema & { type?: string };
  if (type === undefined) return Type.Unsafe<Static<Schema> | null>(Type.Union([schema, Type.Null()]));
  return Type.Unsafe<Static<Schema> | null>({ ...rest, type: [type, 'null'] });
}

/** The keyword of `documented`, which validation ignores. */
export const DOCUMENTED = 'x-documented';

/**
 * Returns schema keywords that only document a field: the operation validates the value itself, because its errors are
 * specific.
 */
export function documented(keywords: object) {
  return { [DOCUMENTED]: keywords };
}

/** The keyword of `REQUIRED`, which moves the field's name into the `required` of its object. */
export const LISTED_AS_REQUIRED = 'x-required';

/** Lists a field as required in the API's document alone, because its absence has a specific error. */
export const REQUIRED = documented({ [LISTED_AS_REQUIRED]: true });

/**
 * Returns a body that the schema only documents. The operation validates it, because its faults have specific errors. A
 * body that is not an object lacks every field, and the operation refuses it if one is required; otherwise the schema
 * does.
 */
export function Unchecked<Fields>(properties: TProperties) {
  const type = Object.values(properties).some(isListedAsRequired) ? {} : { type: ['object', 'null'] };
  return Type.Unsafe<Fields | null | undefined>({ ...type, properties, ...documented({ type: 'object' }) });
}

export function isListedAsRequired(field: object): boolean {
  const { [DOCUMENTED]: keywords = {} } = field as { [DOCUMENTED]?: object };
  return LISTED_AS_REQUIRED in keywords;
}

/** ISO 8601, UTC with `Z`, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' });
export const Uuid = Type.String({ format: 'uuid' });

/**
 * Returns a field that the schema only documents. The operation validates it, because its faults have specific errors.
 */
export function sent(schema: TSchema) {
  return Type.Optional(Type.Unknown(documented(schema)));
}

/** Like `sent`, for a field without which the operation refuses the request. */
export function sentAlways(schema: TSchema) {
  return sent({ ...schema, [LISTED_AS_REQUIRED]: true });
}

/** Returns an id in a URL. Each operation refuses one that is no UUID with its own error. */
export function sentId(description?: string) {
  return Type.String({ ...(description !== undefined && { description }), ...documented({ format: 'uuid' }) });
}

export const TargetFolderId = Nullable(
  Type.Union([Uuid, Type.Literal('root')], { description: 'A folder’s id, or `root`.' }),
);
export const TargetFolder = Nullable(
  Type.String({ description: 'Path of a folder, empty for the root. It need not exist yet.' }),
);
/** Returns the items of a batch. */
export function sentIds(of: string) {
  return Type.Array(Type.String(), { minItems: 1, maxItems: 1000, description: `${of}, 1 to 1,000.` });
}

/** Returns a yes or no in a query. Another word is refused, because the caller may mean either. */
export function queryFlag(description: string) {
  return Type.Optional(Type.Enum(['true', 'false', '1', '0'], { description }));
}

export function isSet(flag: string | undefined): boolean {
  return flag === 'true' || flag === '1';
}

/** Author and credential of a change. */
export const Actor = Type.Object({
  kind: Type.String(),
  name: Type.String({ description: 'The name of the credential; empty for that of another person.' }),
  user_id: Type.Optional(Uuid),
  display_name: Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The name of another person; null once their account is deleted.',
    }),
  ),
  client: Type.Optional(
    Type.String({ description: 'What the program of an assistant calls itself; nobody has verified it.' }),
  ),
});
export type Actor = Static<typeof Actor>;

export const IdParams = Type.Object({ id: sentId() });
export const DryRun = Type.Optional(Nullable(Type.Boolean({ description: 'Only answer what would change.' })));
export const RenameBody = Type.Object({ old_path: Type.String(), new_path: Type.String(), dry_run: DryRun });
export type RenameBody = Static<typeof RenameBody>;
export const Deleted = Type.Object({ deleted: Type.Boolean() });
/** Number of items of a batch that were deleted. */
export const DeletedCount = Type.Object({ deleted: Type.Integer() });
