import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerSettings } from '../../../../tools/image/containerfile.ts';
import { addressIn } from '../setup-tokens.ts';
import { until } from '../until.ts';
import type { Environment } from './process.ts';

/** An image whose layers are unpacked. */
export interface Image {
  /** The folder of its files. */
  readonly files: string;
  readonly settings: ContainerSettings;
}

/** An image from an OCI layout. */
export interface LayoutImage extends Image {
  /** Compressed size of its layers. */
  readonly bytes: number;
}

/** Reads an OCI layout from its index to its layers, as root. */
export function unpackImage(layout: string, files: string): LayoutImage {
  const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'));
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
  const [{ digest }] = read(join(layout, 'index.json')).manifests;
  const manifest: { config: { digest: string }; layers: { digest: string; size: number }[] } = read(blob(digest));
  mkdirSync(files);
  for (const layer of manifest.layers) {
    const into = ['--directory', files, '--same-owner', '--same-permissions'];
    execFileSync('tar', ['--extract', '--gzip', '--file', blob(layer.digest), ...into]);
  }
  const bytes = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  return { files, settings: read(blob(manifest.config.digest)).config, bytes };
}

/** Runs a command in a read-only root with a volume. Parameters: root, volume, user, working folder, command. */
const MOUNT_AND_RUN = `
mount --bind "$1" "$1"
mount --bind "$2" "$1/data"
mount --rbind /dev "$1/dev"
mount -t proc proc "$1/proc"
mount -t tmpfs tmpfs "$1/tmp"
mount -o remount,bind,ro "$1"
files=$1 user=$3 folder=$4
shift 4
exec setpriv --no-new-privs chroot --userspec="$user:$user" --groups= "$files" /bin/sh -c 'cd "$0" && exec "$@"' "$folder" "$@"`;

interface ContainerOptions {
  /** The folder mounted at /data. */
  readonly volume: string;
  readonly user: number;
  readonly env: Environment;
}

export interface ServingContainer extends AsyncDisposable {
  readonly url: string;
  /** Sends the image's signal to the first process; resolves to its exit code. */
  stop(): Promise<number | null>;
}

/**
 * Starts commands of an image like a container engine, except for the network: in process and mount namespaces of their
 * own, without privileges. Needs root on Linux.
 */
export class Container {
  readonly #image: Image;
  readonly #options: ContainerOptions;

  constructor(image: Image, options: ContainerOptions) {
    this.#image = image;
    this.#options = options;
  }

  /** Runs a command to its end. */
  async run(command: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
    const { child, output } = this.#start(command);
    const [code] = await once(child, 'close');
    return { code, output: output() };
  }

  /** Starts the server. */
  async serve(): Promise<ServingContainer> {
    const { Entrypoint, Cmd, StopSignal } = this.#image.settings;
    const { child, output } = this.#start([...Entrypoint, ...Cmd]);
    const closed = once(child, 'close');
    await until(() => addressIn(output()) !== undefined || child.exitCode !== null, 'the server');
    const url = addressIn(output());
    if (url === undefined) throw new Error(`the server ended: ${output()}`);
    return {
      url,
      async stop() {
        const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
        process.kill(Number(first), StopSignal);
        return (await closed)[0];
      },
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL');
        await closed;
      },
    };
  }

  #start(command: readonly string[]): { readonly child: ChildProcess; output(): string } {
    const { files, settings } = this.#image;
    const { volume, user, env } = this.#options;
    const own = Object.fromEntries(settings.Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]));
    const args = ['-euc', MOUNT_AND_RUN, 'sh', files, volume, String(user), settings.WorkingDir, ...command];
    const child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', ...args], {
      env: { ...own, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    return { child, output: () => output };
  }
}
