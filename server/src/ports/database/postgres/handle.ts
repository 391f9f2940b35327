import { handleIsOver, type WriteHandle } from '../database.ts';
import { type Compiled, type ListStatement, listSizes, type Statement, valuesOf } from '../statement.ts';
import type { TransactionWatchdog } from '../transaction-watchdog.ts';
import type { Session } from './session.ts';
import type { StatementResult } from './statement-batch.ts';

export class PostgresHandle implements WriteHandle {
  readonly effects: (() => void)[] = [];
  readonly #session: Session;
  readonly #deadline: TransactionWatchdog;
  #failure: { error: unknown } | undefined;
  #ended = false;

  constructor(session: Session, deadline: TransactionWatchdog) {
    this.#session = session;
    this.#deadline = deadline;
  }

  /** The first error of a statement; PostgreSQL refuses everything after it. */
  get failure(): { error: unknown } | undefined {
    return this.#failure;
  }

  end(): void {
    this.#ended = true;
  }

  async get<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row | undefined> {
    return (await this.#perform(statement.compiled('postgres'), params, [])).rows[0];
  }

  async all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    return (await this.#perform(statement.compiled('postgres'), params, [])).rows;
  }

  async allMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<Row[]> {
    return (await this.#performMany(statement, params, items)).flatMap((result) => result.rows);
  }

  async run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<number> {
    return (await this.#perform(statement.compiled('postgres'), params, [])).rowCount ?? 0;
  }

  async runMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<number> {
    const results = await this.#performMany(statement, params, items);
    return results.reduce((changed, result) => changed + (result.rowCount ?? 0), 0);
  }

  onCommit(effect: () => void): void {
    if (this.#ended) throw handleIsOver();
    this.effects.push(effect);
  }

  #performMany<Params, Item, Row>(statement: ListStatement<Params, Item, Row>, params: Params, items: readonly Item[]) {
    let from = 0;
    const results = listSizes(items.length).map((size) => {
      const part = items.slice(from, from + size);
      from += size;
      return this.#perform(statement.compiled('postgres', size), params, part);
    });
    return Promise.all(results);
  }

  async #perform(compiled: Compiled, params: unknown, items: readonly unknown[]): Promise<StatementResult> {
    if (this.#ended) throw handleIsOver();
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#deadline.called();
    try {
      return await this.#session.query(compiled, valuesOf(compiled, params, items));
    } catch (error) {
      // Statements sent after the failed one are refused because of it, so only the first error tells the cause.
      this.#failure ??= { error };
      throw this.#failure.error;
    } finally {
      this.#deadline.returned();
    }
  }
}
