import { NotevaultError } from '@notevault/protocol/errors.ts';
import {
  currentStanding,
  isChecked,
  RightsChanged,
  runUnder,
  type Standing,
} from '../domains/foundation/rights/rights.ts';
import type { Database, Priority, WriteHandle } from '../ports/database/database.ts';

/** Rights that change during each attempt of a transaction. */
const TRIES = 5;

type Hold = (handle: WriteHandle, standing: Standing) => Promise<void>;

/**
 * Returns a database whose transactions commit only while their caller's standing holds; if rights were removed since,
 * the decision is repeated. @param hold compares a standing in transactions that have not compared it themselves.
 */
export function checkedDatabase(db: Database, hold: Hold): Database {
  async function transact<T>(body: (handle: WriteHandle) => Promise<T>, priority?: Priority): Promise<T> {
    const standing = currentStanding();
    const checked = (handle: WriteHandle) =>
      runUnder(standing, async () => {
        const result = await body(handle);
        if (standing !== undefined && !isChecked()) await hold(handle, standing);
        return result;
      });
    for (let attempt = 1; ; attempt++) {
      try {
        return await db.transact(standing === undefined ? body : checked, priority);
      } catch (error) {
        if (standing !== undefined && isUnexpected(error)) await refuseLost(standing);
        if (!(error instanceof RightsChanged) || attempt === TRIES) throw error;
        await error.standing.renew();
      }
    }
  }
  return {
    engine: db.engine,
    get: (statement, params) => db.get(statement, params),
    all: (statement, params) => db.all(statement, params),
    allMany: (statement, params, items) => db.allMany(statement, params, items),
    read: (body) => db.read(body),
    transact,
    migrate: (migrations, beforeUpgrade) => db.migrate(migrations, beforeUpgrade),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
}

const isUnexpected = (error: unknown) => !(error instanceof NotevaultError || error instanceof RightsChanged);

/** Throws the refusal of a caller who lost the right meanwhile, because the rows it needs may be gone with it. */
async function refuseLost(standing: Standing): Promise<void> {
  try {
    await standing.renew();
  } catch (error) {
    if (error instanceof NotevaultError) throw error;
  }
}
