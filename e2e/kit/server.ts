import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startLink } from '@notevault/protocol/start-link.ts';
import { type FreshDatabase, freshPostgres } from '../../server/test/kit/database/postgres.ts';
import { openRaw, type Raw } from '../../server/test/kit/database/raw-sql.ts';
import { freePort } from '../../server/test/kit/programs/free-port.ts';
import { addressIn, setupFor } from '../../server/test/kit/setup-tokens.ts';

/** Database engine of the servers. */
export const ENGINE = process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'sqlite';

/** Host at which servers are reached; a name of it allows passkeys. */
const LOOPBACK = '127.0.0.1';

/** The part of the public URL that a test chooses. */
interface Address {
  readonly host: '127.0.0.1' | 'localhost';
  readonly path: string;
  readonly port: number;
}

const ROOT = join(import.meta.dirname, '../..');
const { TEST_EXECUTABLE: executable, TEST_PROGRAM: program = join(ROOT, 'cli/src/main.ts') } = process.env;
/** The command that starts the program. */
const PROGRAM = executable === undefined ? ([process.execPath, program] as const) : ([executable] as const);

/**
 * A server as people start it, in a process of its own, with its own folder and port, and with `TEST_ENGINE=postgres`
 * on a PostgreSQL database of its own.
 */
export class Server implements AsyncDisposable {
  readonly url: string;
  readonly #folder: string;
  readonly #database: FreshDatabase | null;
  readonly #environment: Readonly<Record<string, string>>;
  #process: ChildProcess | null = null;

  private constructor(
    { host, path, port }: Address,
    folder: string,
    database: FreshDatabase | null,
    environment: Readonly<Record<string, string>>,
  ) {
    this.url = `http://${host}:${port}${path}`;
    this.#folder = folder;
    this.#database = database;
    this.#environment = {
      ...environment,
      NOTEVAULT_PORT: String(port),
      NOTEVAULT_DATA_DIR: folder,
      NOTEVAULT_AUTH_RATE_LIMIT: '0',
      ...(host === LOOPBACK && path === '' ? {} : { NOTEVAULT_PUBLIC_URL: this.url }),
      ...(database === null ? {} : { NOTEVAULT_DATABASE_URL: database.url }),
    };
  }

  /**
   * @param environment options beside the folder and the port.
   * @param address parts of the public URL; the IP address, no path and any port by default.
   */
  static async start(
    environment: Readonly<Record<string, string>> = {},
    { host = LOOPBACK, path = '', port }: Partial<Address> = {},
  ): Promise<Server> {
    const database = ENGINE === 'postgres' ? await freshPostgres() : null;
    const folder = await mkdtemp(join(tmpdir(), 'notevault-e2e-'));
    const server = new Server({ host, path, port: port ?? (await freePort()) }, folder, database, environment);
    await server.run();
    return server;
  }

  /** Starts the process, again after `kill`. */
  async run(): Promise<void> {
    const [command, ...script] = PROGRAM;
    const child = spawn(command, [...script, 'serve'], {
      env: { ...process.env, ...this.#environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    let said = '';
    for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
      said += chunk;
      if (addressIn(said) !== undefined) return void child.stderr.resume();
    }
    throw new Error(`the server did not start:\n${said}`);
  }

  /** The address of the page that makes the first account, before there is one; asked once. */
  setupUrl(): string {
    return startLink(this.url, 'setup', setupFor(this.url).setup_token ?? '');
  }

  /** Runs a command of the operator beside the server; resolves to its output. */
  async command(...args: string[]): Promise<string> {
    const [command, ...script] = PROGRAM;
    const env = { ...process.env, ...this.#environment };
    return (await promisify(execFile)(command, [...script, ...args], { env })).stdout.trim();
  }

  /** Reads the stored rows while the server runs. */
  rows(): Promise<Raw> {
    return openRaw(this.#database ?? { file: join(this.#folder, 'notevault.sqlite') });
  }

  /** Ends the process as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#database?.[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
