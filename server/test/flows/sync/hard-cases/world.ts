import assert from 'node:assert/strict';
import type { SyncMachine } from '../../../kit/sync-machine.ts';

/** Two machines that sync with one vault, and its notes as the server has them. */
export interface World {
  readonly desk: SyncMachine;
  readonly lap: SyncMachine;
  /** Ids of the notes and attachments of the vault, by path. */
  ids(): Promise<Map<string, string>>;
  /** Writes a note as another client does. */
  write(path: string, content: string): Promise<void>;
  post(path: string, body: unknown): Promise<{ readonly status: number }>;
  /** Lets time pass on the server. */
  pass(time: { minutes: number }): void;
}

/** Syncs both machines until nothing is left to do, and expects their folders to be equal. */
export async function settle({ desk, lap }: World): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const done = (await desk.sync()).done + (await lap.sync()).done;
    if (round > 0 && done === 0) break;
  }
  assert.deepEqual(lap.contents, desk.contents);
}

/** Both machines have these files. */
export async function shared(world: World, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) world.desk.put(path, text);
  await settle(world);
}

export const sorted = (values: Iterable<string>) => [...values].sort();
export const writesOf = ({ requests }: SyncMachine) => requests.filter((request) => !request.startsWith('GET'));

/** The number of the case, what holds, and its test. */
export type HardCase = readonly [number, string, (world: World) => Promise<void>];
