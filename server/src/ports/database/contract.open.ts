import type { Database } from './database.ts';

export interface OpenedDatabase {
  readonly db: Database;
  /** The file or URL, for another process to open it by. */
  readonly where: string;
  /** Closes and removes it. */
  close(): Promise<void>;
}

/** What a test of a limit asks for; PostgreSQL also gets a pool of one connection then. */
export interface ContractLimits {
  readonly maxWaiting?: number;
  readonly idleMs?: number;
}

export type Open = (limits?: ContractLimits) => Promise<OpenedDatabase>;
