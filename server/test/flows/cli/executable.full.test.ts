import assert from 'node:assert/strict';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { commitOf, version } from '../../../src/version.ts';
import { Executable, whyNoExecutable } from '../../kit/programs/executable.ts';
import { assertFails } from '../../kit/programs/process.ts';
import { aliceAt } from '../../kit/signed-in.ts';

const root = join(import.meta.dirname, '../../../..');

describe('the executable', { skip: whyNoExecutable }, () => {
  let executable: Executable;
  before(() => {
    executable = new Executable();
  });
  after(() => executable[Symbol.dispose]());

  it('prints its help and its version, without the warnings of Node', async () => {
    const shown = await executable.run(['--help']);
    assert.deepEqual([shown.code, shown.stderr], [0, '']);
    assert.match(shown.stdout, /^Usage: notevault/);
    const commit = commitOf(root);
    const { stdout } = await executable.run(['--version']);
    assert.equal(stdout, commit === null ? `${version}\n` : `${version} (${commit})\n`);
  });

  it('serves the web app, accounts, notes, search and clients from ./data, also after a restart', async () => {
    const text = `# First\nAn apricot.\n${'A line of a long note.\n'.repeat(20_000)}`;
    {
      await using server = await executable.start();
      const page = await fetch(server.url, { headers: { accept: 'text/html', 'accept-encoding': 'br' } });
      assert.match(await page.text(), /<div id="app">/);
      const alice = await aliceAt(server.url);
      assert.equal((await alice.post('/vaults', { name: 'Diary' })).status, 201);
      assert.equal((await alice.post('/notes', { path: 'first.md', content: text, mtime: 1 })).status, 200);
      assert.equal((await alice.post('/search', { query: 'apricot' })).body.results[0].path, 'first.md');
      const settings = readFileSync(`/proc/${server.child.pid}/environ`, 'utf8');
      assert.match(settings, /\0MALLOC_ARENA_MAX=2\0/, 'it restarted itself with settings for low memory use');
      assert.match(readFileSync(`/proc/${server.child.pid}/cmdline`, 'utf8'), /--max-semi-space-size=16/);
      const bytesOf = async (name: string) =>
        Buffer.from(await (await fetch(`${server.url}/download/${name}`)).arrayBuffer());
      const plugin = readFileSync(join(root, 'dist/download/notevault-obsidian.zip'));
      assert.ok((await bytesOf('notevault-obsidian.zip')).equals(plugin), 'the plugin');
      assert.ok(gunzipSync(await bytesOf('notevault.tgz')).includes('package/cli/src/main.js'), 'the npm package');
      const { code, stderr } = await server.stop();
      assert.equal(code, 0, stderr);
      assert.doesNotMatch(stderr, /Warning/);
    }
    assert.ok(readdirSync(executable.folder.at('data', 'compile-cache')).length > 0, 'compiled code is kept');
    await using server = await executable.start();
    const alice = await aliceAt(server.url);
    assert.equal((await alice.get('/notes/first.md')).body.content, text);
  });

  it('says which packages are missing for S3, and finds them beside itself', async () => {
    const s3 = { NOTEVAULT_BLOBS: 's3://bucket', NOTEVAULT_S3_ENDPOINT: 'http://127.0.0.1:1', AWS_REGION: 'x' };
    const more = {
      ...s3,
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      NOTEVAULT_DATA_DIR: executable.folder.at('s3'),
    };
    assertFails(
      await executable.run(['serve'], more),
      /^notevault: NOTEVAULT_BLOBS=s3 needs packages .* "npm install @aws-sdk\/client-s3" in \S+\.\n$/,
    );
    symlinkSync(join(root, 'node_modules'), executable.folder.at('node_modules'));
    await using server = await executable.start(more);
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  });
});
