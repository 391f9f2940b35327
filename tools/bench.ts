import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { busyShare, warnIfBusy } from '../bench/kit/rounds.ts';

// `npm run bench` runs every bench, one after the other; `npm run bench -- upserts --postgres` runs one, with its
// arguments.
const folder = join(import.meta.dirname, '../bench');
const all = globSync('*.ts', { cwd: folder })
  .map((file) => basename(file, '.ts'))
  .sort();
/** Their arguments can be words: parts of names, a folder. */
const TAKE_WORDS = new Set(['assistants', 'memory-and-start', 'neighbours']);
const args = process.argv.slice(2);
const asked = all.filter((name) => args.includes(name));
const words = args.filter((arg) => !/^-|^\d+$/.test(arg));
const unknown = asked.some((name) => TAKE_WORDS.has(name)) ? [] : words.filter((word) => !all.includes(word));
const list = all.map((name) => `  ${name}\n`).join('');

if (args.includes('--help')) {
  console.log(
    `npm run bench -- [NAME…] [OPTIONS]\n\nRuns the named benches, or all; options such as --postgres go to each.\n\n${list}`,
  );
} else if (unknown.length > 0) {
  process.stderr.write(`There is no bench called ${unknown.join(' or ')}, but these:\n\n${list}`);
  process.exitCode = 1;
} else for (const name of asked.length === 0 ? all : asked) await run(name);

/** Runs a bench; its servers and databases are in its group of processes, and end with this one. */
async function run(name: string): Promise<void> {
  console.log(`\n=== ${name}`);
  warnIfBusy(await busyShare());
  const rest = args.filter((arg) => !all.includes(arg));
  // A signal that this process cannot see, such as that of a full memory, closes the channel.
  const command = ['--import', join(import.meta.dirname, 'end-with-parent.ts'), join(folder, `${name}.ts`), ...rest];
  const bench = spawn(process.execPath, command, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], detached: true });
  const { pid } = bench;
  const end = (signal: NodeJS.Signals) => {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    process.removeListener(signal, end);
    process.kill(process.pid, signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, end);
  const [status] = await once(bench, 'close');
  for (const signal of signals) process.removeListener(signal, end);
  if (status !== 0) process.exitCode = 1;
}
