import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { DatabaseError } from '../database.ts';
import type { Bindable, Compiled } from '../statement.ts';
import { isStalePlan, portError } from './errors.ts';
import { SkippedStatement, StatementBatch, type StatementResult } from './statement-batch.ts';

export type Begin = 'begin_write' | 'begin_read';

const BEGIN: Record<Begin, string> = {
  begin_write: 'begin isolation level read committed read write',
  begin_read: 'begin isolation level repeatable read read only',
};

/**
 * Every statement finds a few rows by an index. A plan without one looks cheaper while a table is small, but a prepared
 * statement keeps its plan while the table grows.
 */
export const BY_INDEX = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'].map((name) => `set ${name} = off`);

/**
 * Prepares a new connection: prepares both BEGIN statements (which can only be done by running them), and makes
 * transactions read-only by default, so that a write outside `transact` fails as it does on SQLite.
 */
export async function prepareConnection(client: Pick<PoolClient, 'query'>): Promise<void> {
  await Promise.all([
    ...BY_INDEX.map((setting) => client.query(setting)),
    client.query('set default_transaction_read_only = on'),
    ...Object.entries(BEGIN).flatMap(([name, text]) => [client.query({ name, text }), client.query('rollback')]),
  ]);
}

export class StatementNames {
  /** False behind a pooler that gives each transaction another connection: statements then have no names. */
  readonly prepared: boolean;
  #names = new WeakMap<Compiled, string>();
  #epoch = 0;

  constructor(prepared: boolean) {
    this.prepared = prepared;
  }

  of(compiled: Compiled): string | undefined {
    if (!this.prepared) return undefined;
    let name = this.#names.get(compiled);
    if (name === undefined) {
      name = `${createHash('sha256').update(compiled.sql).digest('base64url').slice(0, 22)}_${this.#epoch}`;
      this.#names.set(compiled, name);
    }
    return name;
  }

  /** Gives statements new names after a schema change, so that every connection prepares them again. */
  renew(): void {
    this.#epoch++;
    this.#names = new WeakMap();
  }
}

/**
 * One transaction on one connection, or single statements when it never begins. Statements of one turn of the event loop
 * are sent together at its end, so several cost one round trip; after a failed one, PostgreSQL refuses the rest.
 */
export class Session {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  #begin: Begin | undefined;
  #begun = false;
  #batch: StatementBatch | undefined;

  constructor(client: PoolClient, names: StatementNames, begin?: Begin) {
    this.#client = client;
    this.#names = names;
    this.#begin = begin;
  }

  async query(compiled: Compiled, values: Bindable[]): Promise<StatementResult> {
    if (this.#batch === undefined) {
      this.#batch = new StatementBatch(this.#takeBegin());
      // After everything that the body does before it waits for an answer.
      process.nextTick(() => this.#send());
    }
    try {
      return await this.#batch.add(this.#names.of(compiled), compiled.sql, values);
    } catch (failure) {
      const error = failure instanceof SkippedStatement ? failure.cause : failure;
      if (isStalePlan(error)) this.#names.renew();
      throw portError(error);
    }
  }

  /** Resolves only when the server has confirmed the commit. */
  async commit(): Promise<void> {
    this.#send();
    if (!this.#begun) return;
    let command: string;
    try {
      ({ command } = await this.#client.query('commit'));
    } catch (error) {
      const known = portError(error);
      if (!(known instanceof DatabaseError) || known.code !== 'unavailable') throw known;
      throw new DatabaseError('unavailable', 'it is not known whether the transaction was committed', error);
    }
    // If a statement had failed, PostgreSQL answers COMMIT with success and the word ROLLBACK.
    if (command !== 'COMMIT') throw new DatabaseError('unavailable', 'PostgreSQL rolled the transaction back');
  }

  async rollback(): Promise<void> {
    this.#send();
    if (this.#begun) await this.#client.query('rollback');
  }

  #send(): void {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch !== undefined) this.#client.query(batch);
  }

  /**
   * BEGIN is sent with the first statements and a single Sync. As separate queries, the statements would run even if BEGIN
   * failed: outside any transaction, and committed at once.
   */
  #takeBegin() {
    const begin = this.#begin;
    if (begin === undefined) return undefined;
    this.#begin = undefined;
    this.#begun = true;
    return { name: this.#names.prepared ? begin : undefined, text: BEGIN[begin] };
  }
}
