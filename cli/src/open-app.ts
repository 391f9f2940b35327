import type { AdminCommands } from '@notevault/server/admin.ts';
import type { App } from '@notevault/server/app.ts';
import { type Config, publicUrlOf } from '@notevault/server/config/config.ts';
import { adminSocketPath, DataFolderBusy, lockDataFolder, requireData } from '@notevault/server/data/data-folder.ts';
import { adminClient } from './admin-client.ts';

/**
 * Opens the app in this process, without listening on a port. Throws DataFolderBusy while a server uses the data
 * folder.
 */
export async function openApp(config: Config): Promise<App> {
  await using opened = new AsyncDisposableStack();
  if (config.databaseUrl === null) opened.use(lockDataFolder(config.dataDir));
  // Imported only after the lock is taken, because a running server makes these modules unnecessary.
  const [{ openPorts }, { buildApp }, { createLogger }] = await Promise.all([
    import('@notevault/server/open-ports.ts'),
    import('@notevault/server/app.ts'),
    import('@notevault/server/telemetry/telemetry.ts'),
  ]);
  const ports = opened.use(await openPorts(config));
  const app = opened.use(await buildApp(ports, config, createLogger('silent')));
  const closing = opened.move();
  return { ...app, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

/**
 * Runs `work` with the admin operations, in this process or through the server that uses the data folder. Throws if the
 * folder has no data, unless `mayMakeData`.
 */
export async function withAdmin<T>(
  config: Config,
  work: (commands: AdminCommands) => Promise<T>,
  mayMakeData = false,
): Promise<T> {
  if (!mayMakeData) requireData(config);
  try {
    await using app = await openApp(config);
    const { adminCommands } = await import('@notevault/server/admin.ts');
    const address = () => publicUrlOf(config, config.port);
    return await work(adminCommands(app, { ...config, address }));
  } catch (error) {
    if (!(error instanceof DataFolderBusy)) throw error;
    return work(adminClient(adminSocketPath(config.dataDir)));
  }
}
