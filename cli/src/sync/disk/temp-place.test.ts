import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { TempPlace } from './temp-place.ts';

it('TempPlace opens only a file that it creates, not one that is there nor through a link', async () => {
  using folder = new Folder();
  mkdirSync(folder.at('vault'));
  const names = ['taken', 'link', 'free'];
  const place = new TempPlace(folder.at('vault'), () => names.shift() ?? '');
  place.prepare();
  writeFileSync(folder.at('vault/.notevault/tmp/new-taken'), 'of another program');
  symlinkSync(folder.at('outside'), folder.at('vault/.notevault/tmp/new-link'));
  await assert.rejects(place.create(0o600), { code: 'EEXIST' });
  assert.equal(readFileSync(folder.at('vault/.notevault/tmp/new-taken'), 'utf8'), 'of another program');
  await assert.rejects(place.create(0o600), { code: 'EEXIST' });
  assert.ok(!existsSync(folder.at('outside')));
  const { path, file } = await place.create(0o600);
  await file.close();
  assert.equal(path, folder.at('vault/.notevault/tmp/new-free'));
});
