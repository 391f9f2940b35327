import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from './values/schemas.ts';

const Text = Nullable(Type.String());
const Texts = {
  category: Text,
  conn_id: Text,
  device_id: Text,
  level: Text,
  message: Text,
  platform: Text,
  plugin_version: Text,
  stack: Text,
};
const OptionalTexts = Object.fromEntries(
  Object.entries(Texts).map(([field, schema]) => [field, Type.Optional(schema)]),
) as { [Field in keyof typeof Texts]: ReturnType<typeof Type.Optional<typeof Text>> };

/** A client's report of one event. */
export const LogEntry = Type.Object({
  ...OptionalTexts,
  ts: Type.Optional(Nullable(Type.String({ description: 'Time of the event, ISO 8601. Any other value is dropped.' }))),
  forced: Type.Optional(Nullable(Type.Boolean())),
});
export type LogEntry = Static<typeof LogEntry>;
export const LogsBody = Type.Object({
  logs: Type.Array(LogEntry, {
    description: 'The first 1,000 are stored; `message` is cut at 8,000 characters, `stack` at 16,000.',
  }),
});
export const LogsAccepted = Type.Object({ ok: Type.Boolean(), count: Type.Integer() });

export const LogsQuery = Type.Object({
  level: Type.Optional(Type.String()),
  category: Type.Optional(Type.String()),
  since: Type.Optional(Type.String({ description: 'ISO 8601. Only records that arrived at this time or later.' })),
  limit: Type.Optional(Type.String({ description: '1 to 1,000; default 100.' })),
});
export type LogsQuery = Static<typeof LogsQuery>;

export const LogRecord = Type.Object({
  id: Uuid,
  ...Texts,
  created_at: Nullable(Timestamp),
  ts: Nullable(Timestamp),
  forced: Nullable(Type.Boolean()),
});
export type LogRecord = Static<typeof LogRecord>;
export const LogsResponse = Type.Object({ logs: Type.Array(LogRecord) });
