import { spawnSync } from 'node:child_process';

/** Packs the package in `folder` into a file in `destination`, and exits if npm refuses. */
export function npmPack(folder: string, destination: string): void {
  run('npm', ['pack', '--loglevel=error', '--pack-destination', destination], folder);
}

/** Runs a command, which prints what is wrong, and exits if it fails. */
export function run(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
