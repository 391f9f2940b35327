import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUILT, PACKAGE, PLUGIN } from '../server/src/domains/operating/downloads/downloads.ts';
import { listPackage, packPackage } from '../server/src/domains/operating/downloads/package-archive.ts';
import { build } from './build.ts';
import { bundleScripts } from './bundle.ts';

/*
 * npm run build:executable [-- --node FILE --name NAME]
 *
 * Builds the program into one file, dist/executable/notevault, and writes SHA256SUMS of all files there. By default it is
 * for this machine; --node names the Node of another system, of the same version, and --name the file.
 */

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const folder = join(dist, 'executable');
const parts = join(import.meta.dirname, 'executable');

/** Builds the executable. Returns its path. */
export async function buildExecutable(node = process.execPath, name = 'notevault'): Promise<string> {
  await build();
  const scratch = mkdtempSync(join(tmpdir(), 'notevault-executable-'));
  try {
    const output = join(folder, name);
    mkdirSync(folder, { recursive: true });
    const loader = readFileSync(join(parts, 'loader.cjs'), 'utf8');
    const main = join(scratch, 'main.cjs');
    writeFileSync(main, `${loader}\nload('main.js');\n`);
    const config = join(scratch, 'sea.json');
    const executable = strippedNode(node, scratch);
    const assets = await assetsOf(scratch);
    const settings = {
      main,
      output,
      executable,
      assets,
      disableExperimentalSEAWarning: true,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      // With flags that the process gives itself when it restarts; those of NODE_OPTIONS are fewer.
      execArgvExtension: 'cli',
    };
    writeFileSync(config, JSON.stringify(settings));
    execFileSync(process.execPath, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] });
    chmodSync(output, 0o755);
    writeSums();
    return output;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Copies Node without its symbols. It must be stripped first: afterwards that would damage what is in it. */
function strippedNode(node: string, scratch: string): string {
  const copy = join(scratch, 'node');
  copyFileSync(node, copy);
  const { status } = spawnSync('strip', [copy], { stdio: 'ignore' });
  if (status !== 0) console.error('The executable has symbols, a fifth of its size: strip cannot remove them.');
  return copy;
}

/** Returns the files of the program, by their names in the executable. */
async function assetsOf(scratch: string): Promise<Record<string, string>> {
  const bundle = join(scratch, 'bundle');
  const scripts = await bundleScripts(root, bundle);
  const digest = createHash('sha256');
  for (const name of scripts) digest.update(readFileSync(join(bundle, name)));
  writeFileSync(join(bundle, 'digest'), digest.digest('hex').slice(0, 16));
  const tarball = join(scratch, PACKAGE);
  await packPackage(dist, await listPackage(dist), tarball);
  const web = join(root, 'web/dist');
  const files = readdirSync(web, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const pages = files.map((entry) => join(entry.parentPath, entry.name));
  return {
    'package.json': join(dist, 'package.json'),
    'loader.cjs': join(parts, 'loader.cjs'),
    [`${BUILT}/${PLUGIN}`]: join(dist, BUILT, PLUGIN),
    [`${BUILT}/${PACKAGE}`]: tarball,
    ...Object.fromEntries([...scripts, 'digest'].map((name) => [`bundle/${name}`, join(bundle, name)])),
    ...Object.fromEntries(pages.map((path) => [`web/dist/${path.slice(web.length + 1).replaceAll('\\', '/')}`, path])),
  };
}

function writeSums(): void {
  const names = readdirSync(folder).filter((name) => name !== 'SHA256SUMS');
  const sumOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  writeFileSync(join(folder, 'SHA256SUMS'), names.map((name) => `${sumOf(name)}  ${name}\n`).join(''));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { node: { type: 'string' }, name: { type: 'string' } } });
  console.log(await buildExecutable(values.node, values.name));
}
