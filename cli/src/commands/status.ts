import { DAMAGE_HELP } from '@notevault/server/data/damage-help.ts';
import { adminSocketPath } from '@notevault/server/data/data-folder.ts';
import { examineBackups, examineMachine } from '@notevault/server/machine-status.ts';
import { version } from '@notevault/server/version.ts';
import { Command } from 'commander';
import { adminClient } from '../admin-client.ts';
import { configOf, withConfig } from '../config-flags.ts';
import { CliError } from '../error-messages.ts';

const TIMEOUT_MS = 8000;

export function statusCommand(): Command {
  return withConfig(new Command('status'))
    .description('Show the state of the running server, as text that may go into a bug report: it has no names')
    .option('--quiet', 'print nothing; the exit code is 0 if the server is ready')
    .action(async (flags: Record<string, unknown>) => {
      const config = configOf(flags);
      const host = ['0.0.0.0', '::'].includes(config.host) ? 'localhost' : config.host;
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${config.port}/readyz`;
      const ready = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch(() => null);
      if (ready === null) throw new CliError(`no server answers on ${config.host}:${config.port}.`);
      if (!ready.ok) throw new CliError(`the server is not ready: it answers ${ready.status}.`);
      if (flags.quiet === true) return;
      const print = (name: string, text: string) => process.stdout.write(`${name.padEnd(12)} ${text}\n`);
      const { status: _, ...parts } = (await ready.json()) as Record<string, string>;
      print('notevault', `${version}, ready`);
      const states = Object.entries(parts).map(([part, state]) => `${part} ${state}`);
      print(
        'serves',
        `${parts.database === 'damaged' ? `FAULT: ${states.join(', ')}. ${DAMAGE_HELP}` : states.join(', ')}`,
      );
      // On PostgreSQL there is no admin socket, since several servers may share a folder.
      if (config.databaseUrl !== null) return;
      const status = await adminClient(adminSocketPath(config.dataDir)).status();
      const mb = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
      print('server', `${status.version}, up for ${Math.floor((status.now - status.startedAt) / 60_000)} minutes`);
      print(
        'machine',
        `${status.platform}, Node ${status.node}, ${status.processors} processors, ${mb(status.memoryBytes)}`,
      );
      print('memory', `${mb(status.residentBytes)} resident`);
      print('database', status.engine);
      print('accounts', `${status.users}, ${status.sessions} sessions`);
      const { vaults, notes, attachments, bytes } = status.totals;
      print('holds', `${vaults} vaults, ${notes} notes, ${attachments} attachments (${mb(bytes)})`);
      const findings = [...examineMachine(status), examineBackups(status.backups, status.now, config.backupDir)];
      for (const { what, ok, says } of findings) print(what, `${ok ? '' : 'FAULT: '}${says}`);
    });
}
