import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeHashing } from '../../../cli/src/sync/run/node-hashing.ts';
import { Random } from '../../../server/test/kit/random.ts';
import { SyncEngine } from '../src/engine/engine.ts';
import { Approval } from '../src/plan/approval.ts';
import { Scheduler } from './simulation/scheduler.ts';
import { SimDisk } from './simulation/sim-disk.ts';
import { SimServer } from './simulation/sim-server.ts';
import { SimStore } from './simulation/sim-store.ts';

/** Randomness by which no answer is lost, no request is doubled, and files are replaced, or with `true` kept. */
class Fixed extends Random {
  readonly #chance: boolean;

  constructor(chance: boolean) {
    super(1);
    this.#chance = chance;
  }

  override chance(): boolean {
    return this.#chance;
  }
}

/** A device that syncs all the time while a program changes its files at given times. */
class BusyDevice {
  readonly #scheduler = new Scheduler(new Fixed(false));
  readonly disk = new SimDisk(
    { hasFileIds: true, foldsCase: false, takesColons: true },
    this.#scheduler,
    new Fixed(true),
  );
  readonly server = new SimServer(new Fixed(false));
  readonly uploads: string[] = [];
  #due: { readonly at: number; readonly act: () => void }[] = [];
  readonly #engine: Promise<SyncEngine>;

  constructor() {
    const server = this.server.reachedBy(async () => this.pass(1));
    this.disk.turn = async () => this.pass(1);
    const sleep = async (ms: number) => this.pass(ms);
    const ports = {
      disk: this.disk,
      server: {
        ...server,
        putAttachment: async (...call: Parameters<typeof server.putAttachment>) => {
          this.uploads.push(call[0]);
          return server.putAttachment(...call);
        },
      },
      store: new SimStore(),
      clock: { ...this.#scheduler.clock(), sleep },
      hashing: nodeHashing,
    };
    this.#engine = SyncEngine.open(ports, { device: 'desk' });
  }

  /** Lets time pass, with what the program does meanwhile. */
  pass(ms: number): void {
    const end = this.#scheduler.ticks + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((one) => one !== next);
      this.#scheduler.ticks = Math.max(this.#scheduler.ticks, next.at);
      next.act();
    }
    this.#scheduler.ticks = end;
  }

  in(ms: number, act: () => void): void {
    this.#due.push({ at: this.#scheduler.ticks + ms, act });
  }

  /** Syncs all the time until nothing is left to happen, and both sides have rested. */
  async run(): Promise<void> {
    const engine = await this.#engine;
    for (let rested = 0; rested < 10; rested = this.#due.length === 0 ? rested + 1 : 0) {
      await engine.sync({ approval: new Approval() });
      this.pass(20);
    }
    this.pass(60_000);
    assert.equal((await engine.sync()).kind, 'in step');
    assert.deepEqual(new Map(this.server.live.map(({ path, content }) => [path, content])), this.disk.contents);
  }
}

for (const gap of [0, 5, 20, 50, 100, 200]) {
  test(`names swapped by three renames ${gap} ms apart are swapped in the vault without new or lost files`, async () => {
    for (const between of ['tmp', 'tmp.md']) {
      for (let begin = 0; begin < 60; begin += 7) {
        const device = new BusyDevice();
        device.disk.userWrite('p.md', 'of p\n');
        device.disk.userWrite('q.md', 'of q\n');
        device.pass(10_000);
        await device.run();
        const before = new Map(device.server.live.map(({ id, content }) => [id, content]));
        const moves = [
          ['p.md', between],
          ['q.md', 'p.md'],
          [between, 'q.md'],
        ] as const;
        for (const [at, [from, to]] of moves.entries())
          device.in(begin + at * gap, () => assert.ok(device.disk.userMove(from, to)));
        await device.run();
        assert.deepEqual(
          device.disk.contents,
          new Map([
            ['p.md', 'of q\n'],
            ['q.md', 'of p\n'],
          ]),
        );
        assert.deepEqual(new Map(device.server.live.map(({ id, content }) => [id, content])), before);
        assert.deepEqual(device.disk.trashed, []);
      }
    }
  });
}

test('a file that replaces another one by a rename is in the vault, and the other one is gone', async () => {
  const device = new BusyDevice();
  device.disk.userWrite('p.md', 'of p\n');
  device.disk.userWrite('q.md', 'of q\n');
  device.pass(10_000);
  await device.run();
  device.disk.userDelete('p.md');
  device.disk.userMove('q.md', 'p.md');
  await device.run();
  assert.deepEqual(device.disk.contents, new Map([['p.md', 'of q\n']]));
});

for (const pause of [100, 400, 900]) {
  test(`an attachment that is written with pauses of ${pause} ms is sent once`, async () => {
    const device = new BusyDevice();
    for (let part = 1; part <= 16; part++)
      device.in(part * pause, () => assert.ok(device.disk.userWrite('p.png', 'part '.repeat(part))));
    await device.run();
    assert.deepEqual(device.uploads, ['p.png']);
  });
}

test('an attachment that is written with pauses of three seconds is sent once before it is complete', async () => {
  const device = new BusyDevice();
  for (let part = 1; part <= 16; part++)
    device.in(part * 3000, () => assert.ok(device.disk.userWrite('p.png', 'part '.repeat(part))));
  await device.run();
  assert.ok(device.uploads.length <= 3, `${device.uploads.length} uploads`);
});
