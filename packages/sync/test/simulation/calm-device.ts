import assert from 'node:assert/strict';
import { nodeHashing } from '../../../../cli/src/sync/run/node-hashing.ts';
import { Random } from '../../../../server/test/kit/random.ts';
import { SyncEngine, type SyncResult } from '../../src/engine/engine.ts';
import type { Server } from '../../src/engine/ports.ts';
import type { Operation } from '../../src/plan/operations.ts';
import { Killed, Scheduler } from './scheduler.ts';
import { SimDisk } from './sim-disk.ts';
import type { SimServer } from './sim-server.ts';
import { SimStore } from './sim-store.ts';

/** Randomness by which no answer is lost and no request is doubled. */
export class Calm extends Random {
  override chance(): boolean {
    return false;
  }
}

/** A device of a vault that others share; it syncs when told. */
export class CalmDevice {
  readonly #scheduler = new Scheduler(new Calm(1));
  readonly disk: SimDisk;
  readonly #server: Server;
  readonly #store = new SimStore();
  /** The operations that were tried. */
  readonly operations: Operation[] = [];

  /** @param onRequest called before each request and after it */
  constructor(server: SimServer, { hasFileIds = true, onRequest = async () => {} } = {}) {
    this.disk = new SimDisk({ hasFileIds, foldsCase: false, takesColons: true }, this.#scheduler, new Calm(1));
    this.#server = server.reachedBy(onRequest);
  }

  /** Starts the program and syncs once. */
  async sync(server: Server = this.#server): Promise<SyncResult> {
    this.#scheduler.ticks += 10_000;
    const sleep = async (ms: number) => {
      this.#scheduler.ticks += ms;
    };
    const clock = { ...this.#scheduler.clock(), sleep };
    const ports = { disk: this.disk, server, store: this.#store, clock, hashing: nodeHashing };
    const onOperation = (operation: Operation) => void this.operations.push(operation);
    return (await SyncEngine.open(ports, { device: 'desk', onOperation })).sync();
  }

  /** Syncs until the first change of the disk, after which nothing is stored any more: the program was killed. */
  async syncKilledAtWrite(): Promise<void> {
    const { changes } = this.disk;
    this.#store.turn = async () => {
      if (this.disk.changes > changes) throw new Killed();
    };
    await assert.rejects(this.sync(), Killed);
    this.#store.turn = async () => undefined;
  }

  /** Lets each file take the path of the next one, as a person does it. */
  rotate(...paths: readonly string[]): void {
    const last = paths.at(-1) ?? '';
    assert.ok(this.disk.userMove(last, 'aside'));
    for (const [at, from] of [...paths.slice(0, -1).entries()].toReversed())
      assert.ok(this.disk.userMove(from, paths[at + 1] ?? ''));
    assert.ok(this.disk.userMove('aside', paths[0] ?? ''));
  }

  get contents(): Record<string, string> {
    return Object.fromEntries([...this.disk.contents].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
