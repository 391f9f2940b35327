import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../server/src/app.ts';
import { readConfig } from '../server/src/config/config.ts';
import { openPorts } from '../server/src/open-ports.ts';
import { createLogger } from '../server/src/telemetry/telemetry.ts';

/**
 * Returns the OpenAPI document of a server with default options, made from the routes themselves over an empty
 * database.
 */
export async function openApiOfApp(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'notevault-gen-'));
  try {
    const config = { ...readConfig({}), dataDir };
    await using engines = await openPorts(config);
    await using app = await buildApp(engines, config, createLogger('silent'));
    const http = await app.http();
    await http.ready();
    return http.swagger();
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
