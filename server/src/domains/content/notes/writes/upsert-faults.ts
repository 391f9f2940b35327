import { UpsertNote } from '@notevault/protocol/notes.ts';
import { Compile } from 'typebox/schema';

const upsertNote = Compile(UpsertNote);

/** Returns the validation messages of an upsert by field; null when it is valid. */
export function faultsOf(fields: unknown): Record<string, string[]> | null {
  // Listing the faults of a valid note takes a hundred times as long as finding that it has none.
  if (upsertNote.Check(fields)) return null;
  const [, faults] = upsertNote.Errors(fields);
  const messages: Record<string, string[]> = {};
  for (const { instancePath, keyword, params, message } of faults) {
    if (keyword === 'required') {
      for (const field of (params as { requiredProperties: string[] }).requiredProperties) {
        messages[field] = ['is required'];
      }
    } else {
      const field = instancePath.split('/').slice(1).join('.');
      messages[field] = [...(messages[field] ?? []), message];
    }
  }
  return messages;
}
