import type { VaultClient } from '@notevault/client/vault-client.ts';
import { type Answer, data } from './answer.ts';

/** A tool call that undoes exactly one other call. */
export interface UndoCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Number of the newest items among which the item of a write is searched. */
const SEARCHED = '5';

/**
 * Adds to the answer of a write the calls that undo exactly this write, and the activity item that contains it and maybe
 * more. Without calls the answer says that there is none.
 *
 * @param path a path that was written last, by which the item is found.
 * @param how says how to make the calls where listing them would be long.
 */
export async function withUndo(
  client: VaultClient,
  answer: Answer,
  calls: readonly UndoCall[],
  path: string,
  how?: string,
): Promise<Answer> {
  const item = await itemOf(client, path);
  const named = item === null ? [] : [`Its item of recent_changes is ${item}; undo_change undoes the whole item.`];
  const listed = calls.map((call) => `${call.tool} ${JSON.stringify(call.arguments)}`).join('\n');
  const exactly = how === undefined ? ['To undo exactly this:', data(listed)] : [`To undo exactly this, ${how}`];
  return {
    ...answer,
    parts: [...answer.parts, ...named, ...(calls.length === 0 ? ['No call undoes exactly this.'] : exactly)],
    structured: { ...answer.structured, undo: calls, item },
  };
}

/** Returns the id of the caller's own item that contains a path; null if it is not found. */
async function itemOf(client: VaultClient, path: string): Promise<string | null> {
  // The write is done: a failure of this read must not hide it.
  const page = await client.activity({ limit: SEARCHED }).catch(() => null);
  const own = page?.items.find(({ actor, paths }) => actor.display_name === undefined && paths.includes(path));
  return own?.id ?? null;
}
