import { counted } from '@notevault/protocol/values/counted.ts';
import { type Config, publicUrlOf } from '@notevault/server/config/config.ts';
import { DAMAGE_HELP } from '@notevault/server/data/damage-help.ts';
import { adminSocketPath, requireData } from '@notevault/server/data/data-folder.ts';
import { examineBackups, examineMachine } from '@notevault/server/machine-status.ts';
import { ask } from '@notevault/server/public-address/http-checks.ts';
import { versionWithCommit } from '@notevault/server/version.ts';
import { Command } from 'commander';
import { adminClient } from '../admin-client.ts';
import { configOf, withAllConfig } from '../config-flags.ts';
import { CliError } from '../error-messages.ts';
import { totalsText } from '../print.ts';

export function statusCommand(): Command {
  return withAllConfig(
    new Command('status')
      .description('Show the state of the running server, without names, so that it may go into a bug report')
      .option('--quiet', 'print nothing; the exit code is 0 if the server is ready'),
    ['host', 'port', 'publicUrl', 'dataDir', 'databaseUrl'],
  ).action(async (flags: Record<string, unknown>) => {
    const config = configOf(flags);
    const address = await addressOf(config);
    // The certificate names the public address.
    const ready = await ask(`${address}/readyz`, { anyCertificate: true });
    if (ready === null) throw new CliError(`no server answers on ${address}.`);
    if (ready.status !== 200) throw new CliError(`the server is not ready: it answers ${ready.status}.`);
    if (flags.quiet === true) return;
    const print = (name: string, text: string) => process.stdout.write(`${name.padEnd(12)} ${text}\n`);
    const { status: _, ...parts } = JSON.parse(ready.text) as Record<string, string>;
    print('notevault', `${versionWithCommit()}, ready`);
    const states = Object.entries(parts).map(([part, state]) => `${part} ${state}`);
    print(
      'serves',
      `${parts.database === 'damaged' ? `FAULT: ${states.join(', ')}. ${DAMAGE_HELP}` : states.join(', ')}`,
    );
    if (config.databaseUrl !== null) return;
    const status = await adminClient(adminSocketPath(config.dataDir)).status();
    const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
    print(
      'server',
      `${status.version}, up for ${counted(Math.floor((status.now - status.startedAt) / 60_000), 'minute')}`,
    );
    print(
      'machine',
      `${status.platform}, Node ${status.node}, ${counted(status.processors, 'processor')}, ${mb(status.memoryBytes)}`,
    );
    print('memory', `${mb(status.residentBytes)} resident`);
    print('database', status.engine);
    print('accounts', `${status.users}, ${counted(status.sessions, 'session')}`);
    const { vaults, notes, attachments, bytes } = status.totals;
    print('holds', `${totalsText({ vaults, notes, attachments })} (${mb(bytes)})`);
    const findings = [...examineMachine(status), examineBackups(status.backups, status.now, config.backupDir)];
    for (const { what, ok, says } of findings) print(what, `${ok ? '' : 'FAULT: '}${says}`);
  });
}

/**
 * Returns the address of the server that uses this data folder. On PostgreSQL several servers may share a folder; then
 * it is the one at the configured address.
 */
async function addressOf(config: Config): Promise<string> {
  if (config.databaseUrl !== null) return reachable(publicUrlOf({ ...config, publicUrl: null }, config.port));
  requireData(config);
  const admin = adminClient(adminSocketPath(config.dataDir));
  const address = await admin.address().catch((error: unknown) => {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ECONNREFUSED') throw error;
    throw new CliError(`no server works in ${config.dataDir}: start one, or give the --data-dir of the running one.`);
  });
  return reachable(address);
}

/** Returns an address of this machine at which a server that listens on all addresses is reached. */
function reachable(address: string): string {
  return address.replace(/\/\/(0\.0\.0\.0|\[::\]):/, '//localhost:');
}
