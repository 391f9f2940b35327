import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/** `schema` or null, in a form for which the serialiser need not try alternatives. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { type, ...rest } = schema as Schema & { type?: string };
  if (type === undefined) return Type.Unsafe<Static<Schema> | null>(Type.Union([schema, Type.Null()]));
  return Type.Unsafe<Static<Schema> | null>({ ...rest, type: [type, 'null'] });
}

/** A body that the schema only documents. The operation validates it, because its faults have specific errors. */
export function Unchecked<Fields>(properties: TProperties) {
  // Without `type: object`, any body passes, and one that is not an object has none of the properties.
  return Type.Unsafe<Fields | null | undefined>({ properties });
}

/** ISO 8601, UTC with `Z`, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' });
export const Uuid = Type.String({ format: 'uuid' });

/** A field that the operation validates itself, because its faults have specific errors. */
export function sent(description: string) {
  return Type.Optional(Type.Unknown({ description }));
}

/** A yes or no in a query. Another word is refused, because the caller may mean either. */
export function queryFlag(description: string) {
  return Type.Optional(Type.Enum(['true', 'false', '1', '0'], { description }));
}

export function isSet(flag: string | undefined): boolean {
  return flag === 'true' || flag === '1';
}

/** The credential that made a change. */
export const Actor = Type.Object({
  kind: Type.String(),
  name: Type.String(),
  client: Type.Optional(
    Type.String({ description: 'What the program of an assistant calls itself; nobody has verified it.' }),
  ),
});

export const IdParams = Type.Object({ id: Type.String() });
export const RenameBody = Type.Object({ old_path: Type.String(), new_path: Type.String() });
export const Deleted = Type.Object({ deleted: Type.Boolean() });
/** Number of items of a batch that were moved or deleted. */
export const MovedCount = Type.Object({ moved: Type.Integer() });
export const DeletedCount = Type.Object({ deleted: Type.Integer() });
