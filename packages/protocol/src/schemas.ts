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
