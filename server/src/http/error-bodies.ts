import { documented } from '@notevault/protocol/values/schemas.ts';
import { type TProperties, Type } from 'typebox';

const Messages = {
  anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }],
};

/** An error: a code or sentence in `error`, or messages by field in `errors`, and the fields that the error adds. */
function errorBody(required: readonly string[], more: TProperties = {}) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    properties: {
      error: Type.String(),
      errors: { description: 'A text, or a map of field to messages.', ...documented(Messages) },
      ...more,
    },
    required: [...required],
    additionalProperties: true,
  });
}

export const ErrorBody = errorBody(['error']);
/** A request that does not fit its schema has `errors` instead. */
export const InvalidRequest = errorBody([]);
export const ConflictBody = errorBody(['error', 'conflict'], {
  conflict: Type.Boolean({ description: 'Always true: the write was refused.' }),
});
