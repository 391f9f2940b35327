import { handleIsOver, type WriteHandle } from '../database.ts';
import { type ListStatement, listSizes, type Statement } from '../statement.ts';
import type { Connection } from './connection.ts';
import { portError } from './errors.ts';

/**
 * The handle of a body. Statements run during the call itself, so promises resolve in microtasks, and a body that
 * awaits nothing else finishes within one turn of the event loop.
 */
export class SqliteHandle implements WriteHandle {
  readonly effects: (() => void)[] = [];
  readonly #connection: Connection;
  readonly #called: () => void;
  #failure: { error: unknown } | undefined;
  #ended = false;
  readonly #pause: (() => Promise<void> | undefined) | undefined;

  /** @param pause returns a promise when other work should run before the next statement is answered. */
  constructor(connection: Connection, called: () => void = () => {}, pause?: () => Promise<void> | undefined) {
    this.#connection = connection;
    this.#called = called;
    this.#pause = pause;
  }

  /** The first error of a statement; the transaction cannot be committed after it. */
  get failure(): { error: unknown } | undefined {
    return this.#failure;
  }

  end(): void {
    this.#ended = true;
  }

  get<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row | undefined> {
    return this.#perform(() => this.#connection.get(statement.compiled('sqlite'), params) as Row | undefined);
  }

  all<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<Row[]> {
    return this.#perform(() => this.#connection.all(statement.compiled('sqlite'), params, []) as Row[]);
  }

  allMany<Params, Item, Row>(
    statement: ListStatement<Params, Item, Row>,
    params: Params,
    items: readonly Item[],
  ): Promise<Row[]> {
    return this.#perform(() => allMany(this.#connection, statement, params, items));
  }

  run<Params, Row>(statement: Statement<Params, Row>, params: Params): Promise<number> {
    return this.#perform(() => this.#connection.run(statement.compiled('sqlite'), params, []));
  }

  runMany<Params, Item, Row>(statement: ListStatement<Params, Item, Row>, params: Params, items: readonly Item[]) {
    return this.#perform(() => {
      let changed = 0;
      let from = 0;
      for (const size of listSizes(items.length)) {
        const compiled = statement.compiled('sqlite', size);
        changed += this.#connection.run(compiled, params, items.slice(from, from + size));
        from += size;
      }
      return changed;
    });
  }

  onCommit(effect: () => void): void {
    if (this.#ended) throw handleIsOver();
    this.effects.push(effect);
  }

  #perform<T>(work: () => T): Promise<T> {
    if (this.#ended) return Promise.reject(handleIsOver());
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    this.#called();
    try {
      const result = work();
      const pause = this.#pause?.();
      return pause === undefined ? Promise.resolve(result) : pause.then(() => result);
    } catch (error) {
      this.#failure = { error: portError(error) };
      return Promise.reject(this.#failure.error);
    }
  }
}

export function allMany<Params, Item, Row>(
  connection: Connection,
  statement: ListStatement<Params, Item, Row>,
  params: Params,
  items: readonly Item[],
): Row[] {
  const rows: Row[] = [];
  let from = 0;
  for (const size of listSizes(items.length)) {
    const compiled = statement.compiled('sqlite', size);
    for (const row of connection.all(compiled, params, items.slice(from, from + size))) rows.push(row as Row);
    from += size;
  }
  return rows;
}
