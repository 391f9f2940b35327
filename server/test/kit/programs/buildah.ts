import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Image } from './container.ts';
import type { Folder } from './process.ts';

const root = join(import.meta.dirname, '../../../..');
const CONTAINERFILE = 'deploy/Containerfile';
const PRIVATE_CA = '/etc/private-ca.crt';

/**
 * Builds the Containerfile with buildah, without a registry of images: its base is made from Debian and Node of the
 * assembled image. Returns the image that comes out. Needs root.
 */
export function buildContainerfile(assembled: Image, folder: Folder): Image {
  const storage = ['--storage-driver', 'vfs', '--root', folder.at('storage'), '--runroot', folder.at('run')];
  const buildah = (...args: string[]) => run('buildah', [...storage, ...args]).trim();
  const [, base = ''] = /^FROM (\S+)$/m.exec(readFileSync(join(root, CONTAINERFILE), 'utf8')) ?? [];
  const { files, env } = baseOf(assembled, folder);
  const empty = buildah('from', 'scratch');
  buildah('add', '--quiet', empty, files, '/');
  buildah('config', ...env.flatMap((pair) => ['--env', pair]), empty);
  buildah('commit', '--quiet', '--rm', empty, base);
  const how = ['--quiet', '--isolation', 'chroot', '--pull-never', '--format', 'docker'];
  const image = buildah('build', ...how, '--file', CONTAINERFILE, '.');
  const { Docker } = JSON.parse(buildah('inspect', '--type', 'image', image));
  return { files: buildah('mount', buildah('from', '--pull-never', image)), settings: Docker.config };
}

/** Returns the files and variables of an image that has what the builder's base needs: Debian, Node and npm. */
function baseOf(assembled: Image, folder: Folder) {
  const files = folder.at('base');
  run('cp', ['--archive', assembled.files, files]);
  for (const own of ['opt/notevault', 'data']) rmSync(join(files, own), { recursive: true });
  for (const list of ['etc/passwd', 'etc/group']) {
    const file = join(files, list);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^notevault:.*\n/m, ''));
  }
  run('npm', ['install', '--global', '--prefix', join(files, 'usr/local'), '--loglevel=error', 'npm@11']);
  const env = assembled.settings.Env.filter((pair) => pair.startsWith('PATH='));
  // The build reaches the registry of packages from here as other processes of this machine do.
  const ca = process.env.NODE_EXTRA_CA_CERTS;
  if (ca === undefined) return { files, env };
  copyFileSync(ca, join(files, PRIVATE_CA));
  return { files, env: [...env, `NODE_EXTRA_CA_CERTS=${PRIVATE_CA}`] };
}

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
