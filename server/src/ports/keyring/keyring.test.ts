import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { suiteFolder } from '../../../test/kit/programs/process.ts';
import { parseMasterKey, readKeyFile, writeKeyFile } from './key-file.ts';
import { keyringContract } from './keyring.contract.ts';
import { MasterKeyring } from './master-key.ts';

keyringContract('master key in memory', () => new MasterKeyring(randomBytes(32), randomBytes));

describe('key file', () => {
  const folder = suiteFolder();

  it('a key file is written once, readable only by its owner, and read back', async () => {
    const file = folder.at('master.key');
    const key = randomBytes(32);
    assert.equal(await readKeyFile(file), null);
    await writeKeyFile(file, key);
    assert.deepEqual(await readKeyFile(file), key);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await assert.rejects(writeKeyFile(file, randomBytes(32)), { code: 'EEXIST' });
    assert.deepEqual(Buffer.from((await readFile(file, 'utf8')).trim(), 'base64'), key);
  });

  it('a key file appears whole and once, however many processes write it', async () => {
    const file = folder.at('raced.key');
    const keys = Array.from({ length: 8 }, () => randomBytes(32));
    const written = await Promise.allSettled(keys.map((key) => writeKeyFile(file, key)));
    const winners = keys.filter((_, at) => written[at]?.status === 'fulfilled');
    assert.deepEqual([await readKeyFile(file)], winners);
    assert.deepEqual(
      (await readdir(folder.path)).filter((name) => name.startsWith('raced')),
      ['raced.key'],
    );
  });

  it('a key file is refused when other users can read it', async () => {
    const file = folder.at('open.key');
    await writeFile(file, randomBytes(32).toString('base64'));
    await chmod(file, 0o644);
    await assert.rejects(readKeyFile(file), { code: 'unusable_master_key', message: /chmod 600/ });
  });

  it('a key file must hold 32 bytes of base64', () => {
    for (const text of ['', 'short', randomBytes(31).toString('base64'), `${randomBytes(32).toString('base64')}!`]) {
      assert.throws(() => parseMasterKey(text, 'The key'), { code: 'unusable_master_key' });
    }
  });
});
