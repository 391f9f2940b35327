import type { Database } from '../database.ts';

export interface OpenedDatabase {
  readonly db: Database;
  /** The file or URL with which another process opens it. */
  readonly where: string;
  close(): Promise<void>;
}

/** Options of a test of limits; on PostgreSQL they also mean a pool of one connection. */
export interface ContractLimits {
  readonly maxWaiting?: number;
  readonly idleMs?: number;
}

export type Open = (limits?: ContractLimits) => Promise<OpenedDatabase>;
