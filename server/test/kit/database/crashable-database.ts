import {
  type Database,
  DatabaseError,
  type ReadHandle,
  type WriteHandle,
} from '../../../src/ports/database/database.ts';

/**
 * A database as seen by a process that can be killed. After the kill nothing it does reaches the store, open
 * transactions are rolled back, and a commit under way may or may not have happened.
 */
export class CrashableDatabase implements Database {
  readonly #db: Database;
  #dead = false;

  constructor(db: Database) {
    this.#db = db;
  }

  kill(): void {
    this.#dead = true;
  }

  get engine(): Database['engine'] {
    return this.#db.engine;
  }

  get: Database['get'] = (statement, params) => this.#alive(() => this.#db.get(statement, params));
  all: Database['all'] = (statement, params) => this.#alive(() => this.#db.all(statement, params));
  allMany: Database['allMany'] = (statement, params, items) =>
    this.#alive(() => this.#db.allMany(statement, params, items));
  migrate: Database['migrate'] = (migrations) => this.#alive(() => this.#db.migrate(migrations));

  read<T>(body: (handle: ReadHandle) => Promise<T>): Promise<T> {
    return this.#alive(() => this.#db.read((handle) => body(this.#reading(handle))));
  }

  transact: Database['transact'] = (body, priority) =>
    this.#alive(() => this.#db.transact((handle) => body(this.#writing(handle)), priority));

  async [Symbol.asyncDispose](): Promise<void> {}

  #reading(handle: ReadHandle): ReadHandle {
    return {
      get: (statement, params) => this.#alive(() => handle.get(statement, params)),
      all: (statement, params) => this.#alive(() => handle.all(statement, params)),
      allMany: (statement, params, items) => this.#alive(() => handle.allMany(statement, params, items)),
    };
  }

  #writing(handle: WriteHandle): WriteHandle {
    return {
      ...this.#reading(handle),
      run: (statement, params) => this.#alive(() => handle.run(statement, params)),
      runMany: (statement, params, items) => this.#alive(() => handle.runMany(statement, params, items)),
      // A process that dies after its commit does not run the effects of the commit.
      onCommit: (effect) =>
        handle.onCommit(() => {
          if (!this.#dead) effect();
        }),
    };
  }

  async #alive<T>(work: () => Promise<T>): Promise<T> {
    if (this.#dead) throw new DatabaseError('unavailable', 'the process was killed');
    const value = await work();
    if (this.#dead) throw new DatabaseError('unavailable', 'the process was killed');
    return value;
  }
}
