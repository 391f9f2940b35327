import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { DownloadList } from '@notevault/protocol/downloads.ts';
import { extract } from 'tar-stream';
import { sha256 } from '../../../../test/kit/content/files.ts';
import { onSqlite } from '../../../../test/kit/engines.ts';
import { oneServer, startServer } from '../../../../test/kit/server.ts';
import { until } from '../../../../test/kit/until.ts';
import { listPackage, packPackage } from './package-archive.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notevault-downloads-'));
  await makeProgram(join(folder, 'program'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Makes a built program, with a link like those of the repository and with what an installation adds. */
async function makeProgram(program: string): Promise<void> {
  for (const name of ['download', 'cli', 'web', 'node_modules/other'])
    await mkdir(join(program, name), { recursive: true });
  await writeFile(
    join(program, 'package.json'),
    JSON.stringify({ name: 'notevault', bin: { notevault: 'cli/main.js' } }),
  );
  await writeFile(join(program, 'cli/main.js'), '#!/bin/sh\n');
  await writeFile(join(program, 'download/notevault-obsidian.zip'), 'a plugin');
  await writeFile(join(program, 'node_modules/other/index.js'), 'not of the package');
  await writeFile(join(program, 'build.stamp'), 'not of the package');
  await mkdir(join(folder, 'web'), { recursive: true });
  await writeFile(join(folder, 'web/index.html'), '<!doctype html>');
  await symlink(join(folder, 'web'), join(program, 'web/dist'));
}

async function entriesOf(archive: Uint8Array): Promise<Map<string, { mode: number; text: string }>> {
  const entries = new Map<string, { mode: number; text: string }>();
  const unpack = extract();
  unpack.end(gunzipSync(archive));
  for await (const entry of unpack) {
    const pieces = await Array.fromAsync(entry);
    entries.set(entry.header.name, { mode: entry.header.mode ?? 0, text: Buffer.concat(pieces).toString() });
  }
  return entries;
}

onSqlite('downloads', (open) => {
  const dataDir = join(tmpdir(), `notevault-downloads-data-${process.pid}`);
  const own = join(dataDir, 'downloads');
  before(() => mkdir(own, { recursive: true }));
  after(() => rm(dataDir, { recursive: true, force: true }));
  const serve = oneServer(() => ({ open, program: join(folder, 'program'), config: { dataDir } }));
  const listed = async (url: string) => (await (await fetch(`${url}/download/`)).json()) as DownloadList;

  test('GET /download/ lists plugin and package with the size and hash of what is sent, without a credential', async () => {
    const { url, publicUrl } = await serve();
    const { files } = await listed(url);
    for (const name of ['notevault-obsidian.zip', 'notevault.tgz']) {
      const answer = await fetch(`${url}/download/${name}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const file = files.find((each) => each.name === name);
      const expected = { name, size_bytes: bytes.length, sha256: sha256(bytes), url: `${publicUrl}/download/${name}` };
      assert.deepEqual(file, expected);
      assert.equal(answer.headers.get('content-length'), String(bytes.length));
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="notevault/);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    }
  });

  test('GET /download/ is a page for browsers, in their language', async () => {
    const { url } = await serve();
    for (const path of ['/download', '/download/']) {
      const headers = { accept: 'text/html,*/*;q=0.8', 'accept-language': 'de' };
      const answer = await fetch(url + path, { headers });
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      const text = await answer.text();
      assert.match(text, /Plugin für Obsidian/);
      assert.match(text, /npm install -g --allow-remote=root http\S+\/download\/notevault\.tgz/);
    }
  });

  test('the downloaded package has all files of the program, and nothing that an installation adds', async () => {
    const { url } = await serve();
    const archive = new Uint8Array(await (await fetch(`${url}/download/notevault.tgz`)).arrayBuffer());
    const entries = await entriesOf(archive);
    const names = ['cli/main.js', 'download/notevault-obsidian.zip', 'package.json', 'web/dist/index.html'];
    assert.deepEqual(
      [...entries.keys()],
      names.map((name) => `package/${name}`),
    );
    assert.equal(entries.get('package/cli/main.js')?.mode, 0o755);
    assert.equal(entries.get('package/package.json')?.mode, 0o644);
    assert.equal((await readdir(join(dataDir, 'packed'))).length, 1);
  });

  test('a download answers HEAD, ranges and its tag', async () => {
    const { url } = await serve();
    const address = `${url}/download/notevault-obsidian.zip`;
    const head = await fetch(address, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length'), await head.text()], [200, '8', '']);
    const part = await fetch(address, { headers: { range: 'bytes=2-' } });
    assert.deepEqual(
      [part.status, part.headers.get('content-range'), await part.text()],
      [206, 'bytes 2-7/8', 'plugin'],
    );
    assert.equal((await fetch(address, { headers: { range: 'bytes=8-' } })).status, 416);
    const etag = head.headers.get('etag') ?? '';
    assert.equal(etag, `"${sha256(Buffer.from('a plugin'))}"`);
    assert.equal((await fetch(address, { headers: { 'if-none-match': etag } })).status, 304);
    assert.equal((await fetch(address, { method: 'POST' })).status, 405);
  });

  test('plain files of the operator are downloads; links, folders, hidden files and other paths are not', async () => {
    const { url } = await serve();
    await writeFile(join(dataDir, 'secret'), 'a secret');
    await writeFile(join(own, 'notevault-linux-x64'), 'a program');
    await writeFile(join(own, 'empty'), '');
    await writeFile(join(own, 'notevault.tgz'), 'not of this version');
    await writeFile(join(own, '.hidden'), 'hidden');
    await symlink(join(dataDir, 'secret'), join(own, 'link'));
    await mkdir(join(own, 'folder'));
    const names = (await listed(url)).files.map(({ name }) => name);
    assert.deepEqual(names, ['empty', 'notevault-linux-x64', 'notevault-obsidian.zip', 'notevault.tgz']);
    for (const name of ['link', 'folder', '.hidden', '..%2fsecret', '%2e%2e%2fsecret', 'nothing', '..']) {
      assert.equal((await fetch(`${url}/download/${name}`)).status, 404, name);
    }
    assert.equal(await (await fetch(`${url}/download/empty`)).text(), '');
    assert.notEqual(await (await fetch(`${url}/download/notevault.tgz`)).text(), 'not of this version');
  });

  test('a file of the operator may have any name', async () => {
    const { url, publicUrl } = await serve();
    for (const name of ['constructor', 'a.__proto__', 'a b&#%?".zip', 'e\u0301😀.tgz']) {
      const file = join(own, name);
      await writeFile(file, 'any');
      const path = `/download/${encodeURIComponent(name)}`;
      assert.equal(await (await fetch(url + path)).text(), 'any', name);
      const page = await fetch(`${url}/download/`, { headers: { accept: 'text/html' } });
      assert.deepEqual([page.status, (await page.text()).includes(`href="${publicUrl}${path}"`)], [200, true]);
      await rm(file);
    }
  });

  test('a file of the operator that is replaced has another tag', async () => {
    const { url } = await serve();
    await writeFile(join(own, 'tool'), 'first');
    const before = await fetch(`${url}/download/tool`);
    await writeFile(join(own, 'tool.new'), 'second');
    await rm(join(own, 'tool'));
    await cp(join(own, 'tool.new'), join(own, 'tool'));
    const answer = await fetch(`${url}/download/tool`, {
      headers: { 'if-none-match': before.headers.get('etag') ?? '' },
    });
    assert.deepEqual([answer.status, await answer.text()], [200, 'second']);
  });

  test('a client that leaves a download lets its file be closed', { skip: !existsSync('/proc/self/fd') }, async () => {
    const { url } = await serve();
    const file = join(own, 'large');
    await writeFile(file, Buffer.alloc(16_000_000));
    await listed(url);
    for (let round = 0; round < 3; round++) {
      await new Promise<void>((resolve) => {
        const request = get(`${url}/download/large`, (answer) => {
          answer.once('data', () => request.destroy());
          answer.once('close', resolve);
          answer.once('error', () => undefined);
        });
      });
    }
    const open = async () => {
      const handles = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
      return (await Promise.all(handles)).filter((target) => target === file).length;
    };
    await until(async () => (await open()) === 0);
    await rm(file);
  });
});

onSqlite('downloads of other servers', (open) => {
  test('a server that runs from source hands out no programs', async () => {
    await using server = await startServer({ open });
    const { files } = (await (await fetch(`${server.url}/download/`)).json()) as DownloadList;
    assert.deepEqual(files, []);
  });

  test('NOTEVAULT_DOWNLOADS=off removes the addresses', async () => {
    await using server = await startServer({ open, program: join(folder, 'program'), config: { downloads: 'off' } });
    for (const path of ['/download', '/download/', '/download/notevault.tgz']) {
      assert.equal((await fetch(server.url + path)).status, 404, path);
    }
  });

  test('downloads are limited by address, more generously than sign-ins', async () => {
    await using server = await startServer({ open, config: { authRateLimit: 10 } });
    const requests = Array.from({ length: 121 }, () => fetch(`${server.url}/download/nothing`));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 429).length, 1);
  });
});

describe('packPackage', () => {
  test('packPackage makes the same bytes of the same files, whenever they were written', async () => {
    const copy = join(folder, 'copy');
    await cp(join(folder, 'program'), copy, { recursive: true, dereference: true });
    await utimes(join(copy, 'cli/main.js'), 1, 1);
    const pack = async (from: string, name: string) => {
      const target = join(folder, name);
      await packPackage(from, await listPackage(from), target);
      return readFile(target);
    };
    assert.ok((await pack(copy, 'a.tgz')).equals(await pack(join(folder, 'program'), 'b.tgz')));
  });
});
