import { nodeHashing } from '../../../../cli/src/sync/run/node-hashing.ts';
import { type EngineOptions, SyncEngine, type SyncOptions, type SyncResult } from '../../src/engine/engine.ts';
import type { StoredState } from '../../src/engine/ports.ts';
import { Calm } from './calm-device.ts';
import { Scheduler } from './scheduler.ts';
import { SimDisk } from './sim-disk.ts';
import { SimServer } from './sim-server.ts';
import { SimStore } from './sim-store.ts';

/** A device with a vault of its own; people change both sides, and it syncs when told. */
export class LoneDevice {
  readonly #scheduler = new Scheduler(new Calm(1));
  readonly disk = new SimDisk({ hasFileIds: true, foldsCase: false, takesColons: true }, this.#scheduler, new Calm(1));
  readonly server = new SimServer(new Calm(1));
  #store = new SimStore();

  async engine(options: Partial<EngineOptions> = {}): Promise<SyncEngine> {
    this.#scheduler.ticks += 10_000;
    const sleep = async (ms: number) => {
      this.#scheduler.ticks += ms;
    };
    const clock = { ...this.#scheduler.clock(), sleep };
    const server = this.server.reachedBy(async () => undefined);
    const ports = { disk: this.disk, server, store: this.#store, clock, hashing: nodeHashing };
    return SyncEngine.open(ports, { device: 'desk', ...options });
  }

  async sync(options: SyncOptions = {}): Promise<SyncResult> {
    return (await this.engine()).sync(options);
  }

  loseState(): void {
    this.#store = new SimStore();
  }

  stored(): Promise<StoredState> {
    return this.#store.load();
  }

  get now(): number {
    return this.#scheduler.clock().now();
  }

  pass(ms: number): void {
    this.#scheduler.ticks += ms;
  }

  get both(): [ReadonlyMap<string, string>, ReadonlyMap<string, string>] {
    return [this.disk.contents, new Map(this.server.live.map(({ path, content }) => [path, content]))];
  }
}
