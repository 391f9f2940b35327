import { createHash } from 'node:crypto';
import { type Connection, type PoolClient, Query, type QueryResult } from 'pg';
import { DatabaseError } from './database.ts';
import { isStalePlan, portError } from './postgres.errors.ts';
import type { Compiled } from './statement.ts';
import type { Bindable } from './values.ts';

export type Begin = 'begin_write' | 'begin_read';

const BEGIN: Record<Begin, string> = {
  begin_write: 'begin isolation level read committed read write',
  begin_read: 'begin isolation level repeatable read read only',
};

/**
 * Makes a new connection ready: prepares both ways to begin (a statement can be prepared only by running it), and lets
 * nothing but a transaction that says so write, so that a look-up which writes fails here as it does on SQLite.
 */
export async function prepareConnection(client: Pick<PoolClient, 'query'>): Promise<void> {
  await Promise.all([
    client.query('set default_transaction_read_only = on'),
    ...Object.entries(BEGIN).flatMap(([name, text]) => [client.query({ name, text }), client.query('rollback')]),
  ]);
}

/** The names of prepared statements. */
export class StatementNames {
  #names = new WeakMap<Compiled, string>();
  #epoch = 0;

  of(compiled: Compiled): string {
    let name = this.#names.get(compiled);
    if (name === undefined) {
      name = `${createHash('sha256').update(compiled.sql).digest('base64url').slice(0, 22)}_${this.#epoch}`;
      this.#names.set(compiled, name);
    }
    return name;
  }

  /** The schema has changed: statements go by new names, so that every connection prepares them anew. */
  renew(): void {
    this.#epoch++;
    this.#names = new WeakMap();
  }
}

/**
 * One transaction on one connection, or single statements when it never begins. Statements are sent at once and answered
 * in order, so several under way cost one round trip; after one has failed, PostgreSQL refuses those sent behind it.
 */
export class Session {
  readonly #client: PoolClient;
  readonly #names: StatementNames;
  #begin: Begin | undefined;
  #begun = false;

  constructor(client: PoolClient, names: StatementNames, begin?: Begin) {
    this.#client = client;
    this.#names = names;
    this.#begin = begin;
  }

  async query(compiled: Compiled, values: Bindable[]): Promise<QueryResult> {
    const config = { name: this.#names.of(compiled), text: compiled.sql, values };
    const begin = this.#begin;
    this.#begin = undefined;
    if (begin !== undefined) this.#begun = true;
    try {
      return await (begin === undefined ? this.#client.query(config) : this.#beginWith(begin, config));
    } catch (error) {
      if (isStalePlan(error)) this.#names.renew();
      throw portError(error);
    }
  }

  /** Resolves only when the server has said that it committed. */
  async commit(): Promise<void> {
    if (!this.#begun) return;
    let command: string;
    try {
      ({ command } = await this.#client.query('commit'));
    } catch (error) {
      const known = portError(error);
      if (!(known instanceof DatabaseError) || known.code !== 'unavailable') throw known;
      throw new DatabaseError('unavailable', 'it is not known whether the transaction was committed', error);
    }
    // PostgreSQL answers COMMIT with success and the word ROLLBACK when a statement had failed.
    if (command !== 'COMMIT') throw new DatabaseError('unavailable', 'PostgreSQL rolled the transaction back');
  }

  async rollback(): Promise<void> {
    if (this.#begun) await this.#client.query('rollback');
  }

  /**
   * Sends BEGIN and the first statement with a single Sync. Two separate queries would be two messages of which the
   * second runs even if the first failed: outside any transaction, committed at once.
   */
  #beginWith(begin: Begin, config: { name: string; text: string; values: Bindable[] }): Promise<QueryResult> {
    return new Promise((resolve, reject) => {
      const query = new Query(config, (error, result) => (error ? reject(error) : resolve(result))) as WireQuery;
      const submit = query.submit.bind(query);
      const complete = query.handleCommandComplete.bind(query);
      query.submit = (connection) => {
        connection.stream.cork();
        try {
          connection.bind({ statement: begin, values: [] }, false);
          connection.execute(null, false);
          return submit(connection);
        } finally {
          connection.stream.uncork();
        }
      };
      query.handleCommandComplete = () => {
        query.handleCommandComplete = complete;
      };
      this.#client.query(query);
    });
  }
}

/** What `pg` calls on a query besides its typed members. */
interface WireQuery extends Query {
  handleCommandComplete: (message: unknown, connection: Connection) => void;
}
