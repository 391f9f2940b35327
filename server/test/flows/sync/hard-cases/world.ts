import type { SyncMachine } from '../../../kit/sync-machine.ts';

/** Two machines that sync with one vault, and its notes as the server has them. */
export interface World {
  readonly desk: SyncMachine;
  readonly lap: SyncMachine;
  /** Syncs both machines until nothing is left to do, and expects their folders to be equal. */
  settle(): Promise<void>;
  /** Gives both machines these files. */
  share(files: Record<string, string>): Promise<void>;
  /** Ids of the notes and attachments of the vault, by path. */
  ids(): Promise<Map<string, string>>;
  /** Writes a note as another client does. */
  write(path: string, content: string): Promise<void>;
  post(path: string, body: unknown): Promise<{ readonly status: number }>;
  /** Lets time pass on the server. */
  pass(time: { minutes: number }): void;
}

export const sorted = (values: Iterable<string>) => [...values].sort();
export const writesOf = ({ requests }: SyncMachine) => requests.filter((request) => !request.startsWith('GET'));
