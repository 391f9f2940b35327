import { numberGiven, startServer } from '../../../../bench/kit/processes.ts';
import { signUp } from '../../../../bench/kit/vault.ts';
import { startDevices } from '../browser.ts';

/*
 * node clients/obsidian/test/bench/typing.ts [keys]
 *
 * Two devices show one note in editors of the app: how long is it from a key on one until the other one shows the letter,
 * in a short note and in one of 100 KB?
 */

const KEYS = numberGiven(200);
const EVERY_MS = 100;
const LENGTHS = { 'short note': 20, 'note of 100 KB': 100_000 };

await using browser = await startDevices();
await using server = await startServer({ NOTEVAULT_CORS_ORIGINS: browser.origin });
const headers = await signUp(server.url);
const token = (headers.authorization ?? '').slice('Bearer '.length);
const rows: Record<string, object> = {};
for (const [name, length] of Object.entries(LENGTHS)) rows[name] = await measure(`${name}.md`, length);
console.table(rows);

async function measure(path: string, length: number) {
  const line = 'Some words of a note.\n';
  const text = line.repeat(Math.ceil(length / line.length));
  const body = JSON.stringify({ path, content: text, mtime: 1 });
  const json = { ...headers, 'content-type': 'application/json' };
  const made = await fetch(`${server.url}/api/notes`, { method: 'POST', headers: json, body });
  const { note } = (await made.json()) as { note: { id: string } };
  const options = {
    server: server.url,
    token,
    vault: headers['x-vault-id'] ?? '',
    notes: [{ id: note.id, path, text }],
  };
  await using here = await browser.open(options);
  await using there = await browser.open(options);
  for (const device of [here, there]) {
    await device.run((page, at) => page.open(at), path);
    await device.page.waitForFunction(() => window.device.bound === 1);
    await device.run((page) => page.listen());
  }
  await here.page.keyboard.type('x'.repeat(KEYS), { delay: EVERY_MS });
  await there.page.waitForFunction((count) => window.device.changes.length >= count, KEYS);
  const [keys, changes] = [await here.run((page) => page.keys), await there.run((page) => page.changes)];
  const took = keys.map((at, index) => (changes[index] ?? Number.NaN) - at).sort((a, b) => a - b);
  const rank = (share: number) => Math.round((took[Math.floor(took.length * share)] ?? Number.NaN) * 10) / 10;
  return { keys: keys.length, 'p50 ms': rank(0.5), 'p90 ms': rank(0.9), 'p99 ms': rank(0.99) };
}
