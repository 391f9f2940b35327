import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { adminCommands, adminSocket } from './admin.ts';
import { type App, buildApp } from './app.ts';
import { scheduledBackup } from './backup/take/schedule.ts';
import { type Config, publicUrlOf } from './config/config.ts';
import { DataFolderFull, lockDataFolder } from './data/data-folder.ts';
import { ReserveFile } from './data/disk-reserve.ts';
import { openPorts } from './open-ports.ts';
import { DatabaseError } from './ports/database/database.ts';
import { collectWhileIdle } from './ports/gc/gc.ts';

/**
 * Maximum connections waiting to be accepted, capped by the system. Node's default of 511 fills up when one client
 * opens a thousand at once; connections of others then wait a second until they are retried.
 */
const BACKLOG = 4096;

/** A running server. Disposing of it stops accepting requests, finishes running ones, and closes everything. */
export interface Serving extends AsyncDisposable {
  /** Its address, for people and clients: `http://127.0.0.1:4100`. */
  readonly url: string;
  readonly keyOrigin: string;
  /** Whether this start created the master key. */
  readonly madeKey: boolean;
  /** The address of the page that makes the first account; null once there is an account. */
  readonly setupUrl: string | null;
  /** Whether the disk of the data folder was full at the start. */
  readonly isDiskFull: boolean;
  readonly app: App;
}

/**
 * Starts the service. Throws ConfigError, KeyringError, DataFolderBusy, DataFolderFull, or an error of listening.
 *
 * @param backUp takes the daily backup in a process of its own, so that it neither slows the server down nor grows it.
 */
export async function serve(
  config: Config,
  log: FastifyBaseLogger,
  backUp: (folder: string, signal: AbortSignal, due: number) => Promise<void>,
): Promise<Serving> {
  await using opened = new AsyncDisposableStack();
  // On PostgreSQL several processes may share a data folder, which contains only the key file.
  if (config.databaseUrl === null) opened.use(lockDataFolder(config.dataDir));
  const reserve = config.databaseUrl === null ? await ReserveFile.open(config.dataDir) : undefined;
  const isDiskFull = reserve?.isFull === true;
  const ports = opened.use(
    await openPorts(config).catch((error: unknown) => {
      throw isDiskFull && error instanceof DatabaseError ? new DataFolderFull(config.dataDir, error) : error;
    }),
  );
  const app = opened.use(await buildApp({ ...ports, ...(reserve === undefined ? {} : { reserve }) }, config, log));
  // On PostgreSQL single commands work on the database directly, without a running server.
  const admin = adminCommands(app, { ...config, address: () => address });
  if (config.databaseUrl === null) opened.use(await adminSocket(admin, config.dataDir, log));
  const http = await app.http();
  await http.listen({ host: config.host, port: config.port, backlog: BACKLOG });
  const { port } = http.server.address() as AddressInfo;
  const address = publicUrlOf({ ...config, publicUrl: null }, port);
  const { backupDir, backupAt: at } = config;
  if (backupDir !== null) {
    const { db, clock } = ports;
    app.jobRunner.add(scheduledBackup({ db, clock, at, run: (signal, due) => backUp(backupDir, signal, due) }));
  }
  app.jobRunner.start();
  opened.use(collectWhileIdle());
  const closing = opened.move();
  return {
    url: address,
    keyOrigin: ports.keyOrigin,
    madeKey: ports.madeKey,
    setupUrl: await admin.setupLink(),
    isDiskFull,
    app,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
