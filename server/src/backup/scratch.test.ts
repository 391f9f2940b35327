import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Folder } from '../../test/kit/programs/process.ts';
import { makeScratch } from './scratch.ts';

const source = join(import.meta.dirname, 'scratch.ts');

/** Starts a process that makes a scratch folder and waits; resolves to the path of that. */
async function startHolder(parent: string) {
  const code = `
    const { makeScratch } = await import(${JSON.stringify(source)});
    const { path } = await makeScratch(${JSON.stringify(parent)});
    process.stdout.write(path);
    process.stdin.resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [path] = await once(child.stdout, 'data');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await once(child, 'exit'))[1];
  };
  return { path: String(path), end };
}

test('a scratch folder is removed on disposal, after errors too', async () => {
  using folder = new Folder();
  const work = async () => {
    await using scratch = await makeScratch(folder.path);
    writeFileSync(join(scratch.path, 'copy'), 'bytes');
    throw new Error('no room');
  };
  await assert.rejects(work, /no room/);
  assert.deepEqual(readdirSync(folder.path), []);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  test(`a scratch folder is removed when its process ends by ${signal}`, async () => {
    using folder = new Folder();
    const holder = await startHolder(folder.path);
    mkdirSync(join(holder.path, 'data'));
    assert.equal(await holder.end(signal), signal);
    assert.deepEqual(readdirSync(folder.path), []);
  });
}

test('a scratch folder of a killed process is removed when the next one is made, one in use is not', async () => {
  using folder = new Folder();
  const [killed, running] = [await startHolder(folder.path), await startHolder(folder.path)];
  assert.equal(await killed.end('SIGKILL'), 'SIGKILL');
  for (const { path } of [killed, running]) utimesSync(path, new Date(0), new Date(0));
  await using _scratch = await makeScratch(folder.path);
  assert.ok(!existsSync(killed.path));
  assert.ok(existsSync(running.path));
  await running.end('SIGTERM');
});
