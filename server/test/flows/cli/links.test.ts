import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Caller } from '../../kit/person.ts';
import { cli, Folder, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';

test('public links are made, listed and ended by commands beside a running server', async () => {
  using folder = new Folder();
  const env = { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_LOG_LEVEL: 'error' };
  await using server = await startServe({ env });
  const { body } = await registerAt(server.url, { email: 'alice@example.org', password: 'a long enough password' });
  const alice = new Caller(server.url, async () => ({ authorization: `Bearer ${body.access_token}` }));
  const { vault } = (await alice.post('/vaults', { name: 'Work' })).body;
  const headers = { 'x-vault-id': vault.id };
  await alice.post('/notes', { path: 'Plans/Plan.md', content: 'Hello', mtime: 1 }, headers);
  const links = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(['links', ...args], { env });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  const url = await links('make', 'Plans/Plan.md', '--days', '7');
  assert.match(url, /\/s\/[\w-]{43}$/);
  const page = () => fetch(server.url + new URL(url).pathname);
  assert.match(await (await page()).text(), /<p dir="auto">Hello<\/p>/);
  await links('make', 'Plans');
  const lines = (await links('list')).split('\n');
  assert.match(lines[0] ?? '', /^[\da-f-]{36} {2}note {4}Plans\/Plan\.md {2}last opened .*, until \d{4}-\d\d-\d\d$/);
  assert.match(lines[1] ?? '', /^[\da-f-]{36} {2}folder {2}Plans {2}never opened$/);
  assert.equal(await links('end', (lines[0] ?? '').slice(0, 36)), 'The public link is ended.');
  assert.equal((await page()).status, 404);
  const { code, stderr } = await cli(['links', 'make', 'Missing.md'], { env });
  assert.equal(code, 1);
  assert.match(stderr, /^notevault: /);
});
