import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, variablesWithoutEffect } from '@notevault/server/config/config.ts';
import type { OptionName } from '@notevault/server/config/options.ts';
import { restartLean } from '@notevault/server/config/process-memory.ts';
import { cacheCompiledCode, isExecutable } from '@notevault/server/program/program.ts';
import type { Serving } from '@notevault/server/serve.ts';
import { Command } from 'commander';
import { backUpInProcess } from '../backup-process.ts';
import { configOf, withAllConfig } from '../config-flags.ts';

/** Options that most installations need. */
const COMMON: readonly OptionName[] = [
  'host',
  'port',
  'publicUrl',
  'trustProxy',
  'dataDir',
  'databaseUrl',
  'blobs',
  'backupDir',
  'registration',
  'smtpUrl',
];

export function serveCommand(): Command {
  return withAllConfig(new Command('serve'), COMMON)
    .description('Run the server until SIGTERM or SIGINT; a second signal kills it')
    .action(async (flags: Record<string, unknown>) => {
      const config = configOf(flags);
      restartLean(config.memoryMb, isExecutable);
      cacheCode(config.dataDir);
      const { serve } = await import('@notevault/server/serve.ts');
      const { createLogger } = await import('@notevault/server/telemetry/telemetry.ts');
      const log = createLogger(config.logLevel);
      const serving = await serve(config, log, (folder, signal, due) =>
        backUpInProcess({ folder, keep: config.backupKeep, flags, signal, due }),
      );
      // Installed before the server announces that it listens, because it may be stopped right after.
      const stopped = stopSignal(config.shutdownSeconds);
      const print = (...lines: string[]) => process.stderr.write(lines.map((line) => `${line}\n`).join(''));
      print(...announcement(serving, config), ...warningOf(variablesWithoutEffect()));
      await stopped;
      print('Stopping: waiting for running requests.');
      await serving[Symbol.asyncDispose]();
      print('Stopped.');
    });
}

/** Returns the lines that tell where the server listens, and how to create the first account. */
function announcement({ url, app, keyOrigin, madeKey, setupUrl, isDiskFull }: Serving, config: Config): string[] {
  const made = 'This key was just created. BACK IT UP separately from the data: without it no note can be decrypted.';
  const account = [
    '  account  None yet. Open this address to create the first account, which becomes the admin:',
    `           ${setupUrl}`,
    '           Or: notevault admin create-user you@example.org    (in a clone: npm run notevault -- admin …)',
  ];
  return [
    `Notevault listens on ${url}`,
    `  API      ${url}/api`,
    ...(app.hasWebApp ? [] : ['  pages    The web app is not built: npm run build:web builds it.']),
    `  data     ${config.databaseUrl === null ? config.dataDir : 'PostgreSQL'}`,
    `  key      ${keyOrigin}`,
    ...(madeKey ? [`           ${made}`] : []),
    ...(setupUrl === null ? [] : account),
    ...(isDiskFull ? [`  WARNING  The disk of ${config.dataDir} is full: notes can be read, but not written.`] : []),
  ];
}

function warningOf(variables: readonly string[]): string[] {
  if (variables.length === 0) return [];
  return [`  WARNING  ${variables.join(', ')}: unknown option, ignored. docs/config.md lists the options.`];
}

/** Caches compiled code in the data folder. */
function cacheCode(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch {
    // The data folder cannot be used; opening it says why.
    return;
  }
  cacheCompiledCode(join(dataDir, 'compile-cache'));
}

/** Resolves at the first signal. After that a second signal, or the deadline, ends the process at once. */
function stopSignal(deadlineSeconds: number): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    // Everything acknowledged is on disk already, so stopping at once loses only unacknowledged work.
    const hurry = () => process.kill(process.pid, 'SIGKILL');
    const stop = () => {
      if (asked) hurry();
      asked = true;
      setTimeout(hurry, deadlineSeconds * 1000).unref();
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
