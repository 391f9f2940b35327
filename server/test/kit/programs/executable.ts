import { execFileSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli, type Environment, Folder, startServe } from './process.ts';

const root = join(import.meta.dirname, '../../../..');

/** Why the executable is not tested: it is built for the system of the tests, which must be Linux. */
export const whyNoExecutable = process.platform !== 'linux' && 'the executable is built for Linux';

/** The executable in a folder of its own, with nothing beside it, as people download it. Its data folder is `./data`. */
export class Executable implements Disposable {
  readonly folder = new Folder();
  readonly path = this.folder.at('notevault');
  readonly #env = { NOTEVAULT_DATA_DIR: './data', HOME: this.folder.path };

  constructor() {
    execFileSync(process.execPath, [join(root, 'tools/build-executable.ts')], { cwd: root, stdio: 'pipe' });
    copyFileSync(join(root, 'dist/executable/notevault'), this.path);
  }

  /** Runs one of its commands until it ends. */
  run(args: string[], more: Environment = {}) {
    const env = { ...this.#env, NOTEVAULT_DATA_DIR: this.folder.at('data'), ...more };
    return cli(args, { executable: this.path, env });
  }

  /** Starts it without a command. */
  start(more: Environment = {}) {
    return startServe({ executable: this.path, restarts: true, env: { ...this.#env, ...more } });
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]();
  }
}
