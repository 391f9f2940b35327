import type { DoctorProgress } from '@notevault/server/doctor.ts';
import { Command } from 'commander';
import { configOf, storageOptions, withAllConfig } from '../config-flags.ts';
import { progressLine } from '../progress.ts';

export function doctorCommand(): Command {
  return withAllConfig(
    new Command('doctor')
      .description('Check configuration, data folder, database and keys, and tell what to fix')
      .option(
        '--restored',
        'declare that the data was restored from a backup, so that clients read it again (stop every server first)',
      ),
    storageOptions,
  ).action(async (flags: Record<string, unknown>) => {
    const config = configOf(flags);
    process.stdout.write('ok    configuration\n');
    const { examine, markAsRestored } = await import('@notevault/server/doctor.ts');
    if (flags.restored === true) {
      const { what, says } = await markAsRestored(config);
      process.stdout.write(`ok    ${what}: ${says}\n`);
    }
    const line = progressLine();
    const progress: DoctorProgress = (done, unit) => line(`${done} ${unit}`, false);
    for await (const { what, ok, warning, says } of examine(config, progress)) {
      const level = ok ? (warning === true ? 'warn ' : 'ok   ') : 'FAULT';
      process.stdout.write(`${level} ${what}: ${says}\n`);
      if (!ok) process.exitCode = 1;
    }
  });
}
