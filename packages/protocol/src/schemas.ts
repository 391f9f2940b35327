import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/** `schema` or null, written so that the serialiser needs no trial of alternatives. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { type, ...rest } = schema as Schema & { type?: string };
  if (type === undefined) return Type.Unsafe<Static<Schema> | null>(Type.Union([schema, Type.Null()]));
  return Type.Unsafe<Static<Schema> | null>({ ...rest, type: [type, 'null'] });
}

/** A body whose every fault has an answer of its own: the schema documents its fields, the operation checks them. */
export function Unchecked<Fields>(properties: TProperties) {
  // Without a type, the properties of a body that is no object are simply not there.
  return Type.Unsafe<Fields | null | undefined>({ properties });
}

/** ISO 8601, UTC with `Z`, milliseconds. */
export const Timestamp = Type.String({ format: 'date-time' });
export const Uuid = Type.String({ format: 'uuid' });

/** A field that the operation checks itself: its faults have answers of their own. */
export function sent(description: string) {
  return Type.Optional(Type.Unknown({ description }));
}

export const IdParams = Type.Object({ id: Type.String() });
export const RenameBody = Type.Object({ old_path: Type.String(), new_path: Type.String() });
export const Deleted = Type.Object({ deleted: Type.Boolean() });
/** How many items of a batch were moved, or deleted. */
export const MovedCount = Type.Object({ moved: Type.Integer() });
export const DeletedCount = Type.Object({ deleted: Type.Integer() });
