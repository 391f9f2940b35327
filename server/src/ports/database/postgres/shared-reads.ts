import type { PoolClient } from 'pg';
import { currentHangUp, currentTenant, runShared } from '../../../concurrency/tenant.ts';
import { DatabaseError } from '../database.ts';
import type { Bindable, Compiled } from '../statement.ts';
import { isStalePlan, isUnavailable, portError } from './errors.ts';
import type { StatementNames } from './session.ts';
import { SkippedStatement, StatementBatch } from './statement-batch.ts';

/** A connection of the pool that is in use. */
export interface ReadLease {
  readonly client: Pick<PoolClient, 'query'>;
  release(broken: boolean): void;
}

interface Read extends PromiseWithResolvers<unknown[]> {
  readonly compiled: Compiled;
  readonly values: Bindable[];
}

/** Maximum statements that share a connection and a Sync; the last of them waits for all others. */
const TOGETHER_MAX = 16;

/**
 * Runs single statements outside transactions. Statements of one tenant that are made in the same turn of the event
 * loop, or while the tenant's share of connections is in use, are sent together: most of a statement's cost on both
 * sides is its write, answer and turn.
 */
export class SharedReads {
  readonly #connect: () => Promise<ReadLease>;
  readonly #names: StatementNames;
  readonly #waiting = new Map<string, Read[]>();

  constructor(connect: () => Promise<ReadLease>, names: StatementNames) {
    this.#connect = connect;
    this.#names = names;
  }

  /** Resolves to the rows. Throws DatabaseError and the errors of the statement itself. */
  async run(compiled: Compiled, values: Bindable[]): Promise<unknown[]> {
    for (;;) {
      try {
        return await this.#join(compiled, values);
      } catch (error) {
        // Another statement failed, and the server skipped this one.
        if (!(error instanceof SkippedStatement) || isUnavailable(portError(error.cause))) throw errorOf(error);
      }
    }
  }

  #join(compiled: Compiled, values: Bindable[]): Promise<unknown[]> {
    const tenant = currentTenant();
    const read = { ...Promise.withResolvers<unknown[]>(), compiled, values };
    let reads = this.#waiting.get(tenant);
    if (reads === undefined || reads.length >= TOGETHER_MAX) {
      reads = [];
      this.#waiting.set(tenant, reads);
      // Not given up when the caller hangs up that happened to be first.
      runShared(() => this.#send(tenant, reads as Read[]));
    }
    reads.push(read);
    return refusedAtHangUp(read, reads);
  }

  async #send(tenant: string, reads: Read[]): Promise<void> {
    let lease: ReadLease;
    try {
      lease = await this.#connect();
      // Others of this turn join.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    } catch (error) {
      this.#close(tenant, reads);
      for (const { reject } of reads) reject(error);
      return;
    }
    this.#close(tenant, reads);
    let broken = false;
    const batch = new StatementBatch();
    // From here on a caller who hangs up is answered nevertheless.
    const answers = reads.splice(0).map(({ compiled, values, resolve, reject }) =>
      batch.add(this.#names.of(compiled), compiled.sql, values).then(
        ({ rows }) => resolve(rows),
        (error: unknown) => {
          if (isStalePlan(error)) this.#names.renew();
          broken ||= isUnavailable(errorOf(error));
          reject(error);
        },
      ),
    );
    if (answers.length > 0) lease.client.query(batch);
    await Promise.all(answers);
    lease.release(broken);
  }

  /** Lets no more reads join. */
  #close(tenant: string, reads: Read[]): void {
    if (this.#waiting.get(tenant) === reads) this.#waiting.delete(tenant);
  }
}

/** Resolves to the result of a read; refuses it without sending it if its caller hangs up before. */
async function refusedAtHangUp(read: Read, reads: Read[]): Promise<unknown[]> {
  const hangUp = currentHangUp();
  if (hangUp === undefined) return read.promise;
  const leave = () => {
    const at = reads.indexOf(read);
    if (at < 0) return;
    reads.splice(at, 1);
    read.reject(new DatabaseError('unavailable', 'the client disconnected'));
  };
  hangUp.addEventListener('abort', leave, { once: true });
  try {
    return await read.promise;
  } finally {
    hangUp.removeEventListener('abort', leave);
  }
}

function errorOf(error: unknown): unknown {
  return portError(error instanceof SkippedStatement ? error.cause : error);
}
