import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { flagOf } from '@notevault/server/config/options.ts';
import { ownCommand } from '@notevault/server/program/program.ts';
import { backupOptions } from './config-flags.ts';
import { CliError } from './error-messages.ts';

/** Automatic daily backup of the server. */
export interface DailyBackup {
  readonly folder: string;
  readonly keep: number;
  /** Flags of this process. */
  readonly flags: Record<string, unknown>;
  readonly signal: AbortSignal;
  /** Scheduled time. No backup is taken if another process has taken one since. */
  readonly due: number;
}

/**
 * Runs `notevault backup` as a child process with this process's environment and flags. Rejects if it fails or the
 * signal aborts it.
 */
export async function backUpInProcess({ folder, keep, flags, signal, due }: DailyBackup): Promise<void> {
  const given = backupOptions.flatMap((name) => {
    const value = flags[name];
    return typeof value === 'string' ? [flagOf(name), value] : [];
  });
  const [program = '', ...script] = ownCommand();
  const args = [
    ...script,
    'backup',
    folder,
    '--keep',
    String(keep),
    '--unless-since',
    new Date(due).toISOString(),
    ...given,
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], signal });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  process.stderr.write(`The daily backup failed: ${said.trim().split('\n').at(-1) ?? ''}\n`);
  throw new CliError(`the backup exited with ${code}`);
}
