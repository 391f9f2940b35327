import { version } from '@notevault/server/version.ts';
import { Command, CommanderError } from 'commander';
import { adminCommand } from './commands/admin.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { reindexCommand } from './commands/reindex.ts';
import { searchCommand } from './commands/search.ts';
import { serveCommand } from './commands/serve.ts';
import { errorMessage } from './error-messages.ts';

// A command loads the service when it runs: help, and the answer to a typing error, come without it.
const program = new Command('notevault')
  .description('A server for vaults of markdown notes: merging writes, true links, sealed at rest.')
  .version(version)
  .showHelpAfterError('(add --help for what a command takes)')
  .exitOverride()
  .addCommand(serveCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand())
  .addCommand(searchCommand())
  .addCommand(reindexCommand())
  .addCommand(adminCommand())
  .addCommand(keysCommand())
  .addCommand(doctorCommand());
inherit(program);

// Whoever reads the output may stop early (`| head`): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode;
  else {
    process.stderr.write(`${errorMessage(error)}\n`);
    process.exitCode = 1;
  }
}

/** A command made on its own knows nothing of its parent: neither the hint after an error, nor that it must not exit. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}
