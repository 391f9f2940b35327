import type { Database } from '../database.ts';
import { contract as sql } from './statements.ts';

/** A row of the contract's table; fields that are left out are null. */
export interface Item {
  id: string;
  count: number;
  words?: string | null;
  bytes?: Buffer | null;
  size?: number | null;
  mark?: string | null;
}

export const item = (id: string, count: number) => ({ id, count, words: null, bytes: null, size: null, mark: null });

export async function put(db: Database, values: Item): Promise<void> {
  await db.transact((handle) => handle.run(sql.put, { ...item(values.id, values.count), ...values }));
}

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
