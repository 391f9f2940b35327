import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { openFixtures } from '../../../../test/kit/fixtures.ts';
import { until } from '../../../../test/kit/until.ts';
import { type Database, DatabaseError } from '../../../ports/database/database.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from '../../../ports/keyring/master-key.ts';
import { findKey } from './keys.store.ts';
import { Keys, serverOwner } from './keys.ts';

const masterKey = Buffer.alloc(MASTER_KEY_BYTES, 7);
const keyring = () => new MasterKeyring(masterKey, (bytes) => crypto.getRandomValues(Buffer.alloc(bytes)));

/** A look-up of this missing owner takes as long as any other. */
const NOBODY = { kind: 'user', id: '00000000-0000-7000-8000-000000000000' } as const;

/**
 * The database, but it answers look-ups of a key after `others` other calls, and starts transactions after half as
 * many.
 */
function late(db: Database, others: number): Database {
  const pass = async (looks: number) => {
    for (let look = 0; look < looks; look++) await db.get(findKey, NOBODY);
  };
  const get: Database['get'] = async (statement, values) => {
    const seen = await db.get(statement, values);
    if ((statement as unknown) === findKey) await pass(others);
    return seen;
  };
  const transact: Database['transact'] = async (work) => {
    await pass(others / 2);
    return db.transact(work);
  };
  return new Proxy(db, {
    get(target, name) {
      if (name === 'get') return get;
      if (name === 'transact') return transact;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

suite('the server’s data key', () => {
  onEachEngine('is created at the first call', (open) => {
    test('is created once for every caller that asks meanwhile, however late its look-up is answered', async () => {
      const { db } = await openFixtures(open);
      const keys = new Keys(late(db, 20), keyring());
      const asked: Promise<Buffer | Uint8Array>[] = [];
      for (let i = 0; i < 40; i++) {
        asked.push(keys.openServer().then((key) => key.blind('test', 'value')));
        await db.get(findKey, NOBODY);
      }
      const blinds = (await Promise.all(asked)).map((blind) => Buffer.from(blind).toString('hex'));
      assert.equal(new Set(blinds).size, 1);
    });

    test('only once by processes that start at the same time on an empty database', async () => {
      const { db } = await openFixtures(open);
      const processes = Array.from({ length: 6 }, () => new Keys(late(db, 5), keyring()));
      const opened = await Promise.all(processes.map((keys) => keys.openServer()));
      assert.equal(new Set(opened.map((key) => Buffer.from(key.blind('test', 'value')).toString('hex'))).size, 1);
    });

    test('is created by the next call after a database failure, which is reported as such', async () => {
      const { db } = await openFixtures(open);
      let failing = true;
      const fails = new Error('the disk is full');
      const keys = new Keys(
        new Proxy(db, {
          get(target, name) {
            const value: unknown = Reflect.get(target, name, target);
            if (name === 'transact' && failing) return () => Promise.reject(fails);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
        keyring(),
      );
      await assert.rejects(keys.openServer(), fails);
      failing = false;
      assert.ok(await keys.openServer());
    });
  });
});

onEachEngine('data keys on a full disk', (open) => {
  test('a data key opens and seals on a full disk, and counts its seals when there is room', async () => {
    const { db } = await openFixtures(open);
    const place = { kind: 'test', row: NOBODY.id, version: 1 };
    const sealed = (await new Keys(db, keyring()).openServer()).seal(place, Buffer.from('words'));
    const disk = { isFull: true };
    const fillable: Database = new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) =>
          name === 'transact' && disk.isFull
            ? Promise.reject(new DatabaseError('unavailable', 'the disk is full', undefined, { full: true }))
            : value.apply(target, given);
      },
    });
    const granted = async () => Number((await db.get(findKey, serverOwner))?.seals_granted);
    const before = await granted();
    const key = await new Keys(fillable, keyring()).openServer();
    assert.equal(String(key.open(place, sealed)), 'words');
    assert.equal(String(key.open(place, key.seal(place, Buffer.from('more')))), 'more');
    assert.equal(await granted(), before);
    disk.isFull = false;
    await until(async () => {
      key.seal(place, Buffer.from('words'));
      return (await granted()) > before;
    }, 'a grant of seals');
  });
});
