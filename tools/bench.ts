import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

// `npm run bench` runs every bench, one after the other; `npm run bench -- moves --postgres` runs one, with its
// arguments.
const folder = join(import.meta.dirname, '../bench');
const all = globSync('*.ts', { cwd: folder })
  .map((file) => basename(file, '.ts'))
  .sort();
const args = process.argv.slice(2);
const asked = all.filter((name) => args.includes(name));
for (const name of asked.length === 0 ? all : asked) {
  console.log(`\n=== ${name}`);
  const rest = args.filter((arg) => !all.includes(arg));
  const { status } = spawnSync(process.execPath, [join(folder, `${name}.ts`), ...rest], { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
