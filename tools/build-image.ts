import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { settingsOf } from './image/containerfile.ts';
import { OciLayout } from './image/oci-layout.ts';

/*
 * npm run build:image -- FOLDER
 *
 * Assembles the image of deploy/Containerfile without a container engine or a registry of images, and writes it into
 * FOLDER as an OCI layout: `podman pull oci:FOLDER`. Debian comes from debootstrap, Node from its npm package, and the
 * program is the packed one with the packages that it depends on. Needs root on Debian; DEBIAN_MIRROR names a mirror.
 */
const root = join(import.meta.dirname, '..');
const SUITE = 'trixie';
const MIRROR = 'http://deb.debian.org/debian';
/** A library that Node needs and that the smallest Debian lacks. */
const PACKAGES = 'libatomic1';
/**
 * Files that no program in a container reads, and those that name the machine or the time of the build. An engine fills
 * /dev itself.
 */
const UNUSED = [
  'dev/*',
  'var/{log,lib/apt/lists,cache/apt,cache/debconf,cache/ldconfig}/*',
  'usr/share/{doc,info,locale,man}/*',
  'etc/{hostname,machine-id,resolv.conf}',
];
const OWNER = 10_001;

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error('usage: npm run build:image -- FOLDER');
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), 'notevault-image-'));
try {
  const layout = new OciLayout(resolve(target));
  const layers = [base(), node(), program()].map((folder) => layout.addLayer(folder));
  const { version } = JSON.parse(readFileSync(join(scratch, 'program/opt/notevault/package.json'), 'utf8'));
  const settings = settingsOf(readFileSync(join(root, 'deploy/Containerfile'), 'utf8'));
  const bytes = layout.finish(layers, settings, version);
  const sizes = layers.map(({ size }) => Math.ceil(size / 1e6)).join(', ');
  console.log(`${target}: ${Math.ceil(bytes / 1e6)} MB (Debian, Node, program: ${sizes})`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Returns a folder with Debian, the user of the server and the folder of the volume. */
function base(): string {
  const folder = join(scratch, 'base');
  const options = ['--variant=minbase', `--include=${PACKAGES}`];
  run('debootstrap', [...options, SUITE, folder, process.env.DEBIAN_MIRROR ?? MIRROR]);
  for (const path of globSync(UNUSED, { cwd: folder })) rmSync(join(folder, path), { recursive: true, force: true });
  appendFileSync(join(folder, 'etc/passwd'), `notevault:x:${OWNER}:${OWNER}::/data:/usr/sbin/nologin\n`);
  appendFileSync(join(folder, 'etc/group'), `notevault:x:${OWNER}:\n`);
  mkdirSync(join(folder, 'data'), { mode: 0o700 });
  chownSync(join(folder, 'data'), OWNER, OWNER);
  return folder;
}

/** Returns a folder with Node without its symbols, which are a fifth of it. */
function node(): string {
  const folder = join(scratch, 'node');
  const copy = join(folder, 'usr/local/bin/node');
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(join(root, 'node_modules/node/bin/node'), copy);
  chmodSync(copy, 0o755);
  if (spawnSync('strip', [copy], { stdio: 'ignore' }).status !== 0) console.error('strip is missing: Node has symbols');
  return folder;
}

/** Returns a folder with the packed program and the packages that it depends on. */
function program(): string {
  const folder = join(scratch, 'program');
  const at = join(folder, 'opt/notevault');
  mkdirSync(at, { recursive: true });
  run(process.execPath, [join(root, 'tools/pack.ts'), scratch]);
  const [archive = ''] = readdirSync(scratch).filter((name) => name.endsWith('.tgz'));
  const into = ['--directory', at, '--strip-components=1', '--no-same-owner'];
  run('tar', ['--extract', '--file', join(scratch, archive), ...into]);
  run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'], at);
  return folder;
}

function run(command: string, args: readonly string[], cwd = root): void {
  // Standard output is for the result.
  execFileSync(command, args, { cwd, stdio: ['ignore', process.stderr, 'inherit'] });
}
