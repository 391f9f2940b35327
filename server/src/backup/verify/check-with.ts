import { type App, buildApp } from '../../app.ts';
import type { Config } from '../../config/config.ts';
import { openEmbedder } from '../../open-ports.ts';
import type { Blobs } from '../../ports/blobs/blobs.ts';
import { MemoryHub } from '../../ports/bus/memory.ts';
import type { Clock } from '../../ports/clock/clock.ts';
import type { Database } from '../../ports/database/database.ts';
import { MasterKeyring } from '../../ports/keyring/master-key.ts';
import { noMailer } from '../../ports/mail/none.ts';
import { createSafeFetch } from '../../ports/safe-fetch/public-fetch.ts';
import { createLogger } from '../../telemetry/telemetry.ts';
import type { BackupKey } from '../read/open-backup.ts';
import { type CopyCheck, checkCopy } from './check-copy.ts';

export interface OfflineDeps {
  readonly db: Database;
  readonly blobs: Blobs;
  readonly key: BackupKey;
  readonly config: Config;
  readonly clock: Clock;
}

/** Makes a service that neither listens nor tells anybody anything, over the data of a backup. */
export async function openOffline({ db, blobs, key, config, clock }: OfflineDeps): Promise<App> {
  await using opened = new AsyncDisposableStack();
  const keyring = new MasterKeyring(key.bytes, clock.random);
  const bus = opened.use(new MemoryHub().join());
  const quiet = { ...config, embedder: 'builtin', analytics: 'none', metricsToken: null, otlpUrl: null } as const;
  const embedder = opened.use(openEmbedder(quiet, clock));
  const app = opened.use(
    await buildApp(
      { db, keyring, blobs, bus, embedder, clock, fetcher: createSafeFetch(), mailer: noMailer() },
      quiet,
      createLogger('silent'),
    ),
  );
  const closing = opened.move();
  return { ...app, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

export async function checkWith(deps: OfflineDeps, deep = false): Promise<CopyCheck> {
  await using app = await openOffline(deps);
  return await checkCopy(deps.db, app, new MasterKeyring(deps.key.bytes, deps.clock.random), deep);
}
