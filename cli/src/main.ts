import { version } from '@notevault/server/version.ts';
import { Command, CommanderError } from 'commander';
import { adminCommand } from './commands/admin.ts';
import { doctorCommand } from './commands/doctor.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { serveCommand } from './commands/serve.ts';
import { explain } from './explain.ts';

const program = new Command('notevault')
  .description('A server for vaults of markdown notes: merging writes, true links, sealed at rest.')
  .version(version)
  .showHelpAfterError('(add --help for what a command takes)')
  .exitOverride()
  .addCommand(serveCommand())
  .addCommand(importCommand())
  .addCommand(adminCommand())
  .addCommand(keysCommand())
  .addCommand(doctorCommand());

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  }
}
