import { isExecutable } from '@notevault/server/program/program.ts';
import { versionWithCommit } from '@notevault/server/version.ts';
import { Command, CommanderError } from 'commander';
import { activityCommand, undoCommand } from './commands/activity.ts';
import { adminCommand } from './commands/admin.ts';
import { backupCommand } from './commands/backup.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { keysCommand } from './commands/keys.ts';
import { linksCommand } from './commands/links.ts';
import { loginCommand, logoutCommand } from './commands/login.ts';
import { mcpCommand } from './commands/mcp.ts';
import { membersCommand } from './commands/members.ts';
import { reindexCommand } from './commands/reindex.ts';
import { restoreCommand } from './commands/restore.ts';
import { searchCommand } from './commands/search.ts';
import { serveCommand } from './commands/serve.ts';
import { statusCommand } from './commands/status.ts';
import { syncCommand } from './commands/sync.ts';
import { verifyCommand } from './commands/verify.ts';
import { exitCodeOf, printError } from './error-messages.ts';

// Each command imports the server only when it runs, so that help and usage errors are fast.
const program = new Command('notevault')
  .description(
    'A self-hosted server for markdown notes: merges concurrent edits, keeps links working, encrypts everything it stores.',
  )
  .option('-V, --version', 'print the version')
  .on('option:version', () => {
    process.stdout.write(`${versionWithCommit()}\n`);
    throw new CommanderError(0, 'commander.version', '');
  })
  .showHelpAfterError('(add --help to see the command’s arguments)')
  .exitOverride()
  // Options after a command's name belong to that command, even if its parent has the same option.
  .enablePositionalOptions()
  .addCommand(serveCommand())
  .addCommand(loginCommand())
  .addCommand(logoutCommand())
  .addCommand(syncCommand())
  .addCommand(importCommand())
  .addCommand(exportCommand())
  .addCommand(searchCommand())
  .addCommand(mcpCommand())
  .addCommand(reindexCommand())
  .addCommand(activityCommand())
  .addCommand(undoCommand())
  .addCommand(membersCommand())
  .addCommand(linksCommand())
  .addCommand(adminCommand())
  .addCommand(keysCommand())
  .addCommand(backupCommand())
  .addCommand(verifyCommand())
  .addCommand(restoreCommand())
  .addCommand(statusCommand())
  .addCommand(doctorCommand());
inherit(program);

// The reader of the output may stop early (`| head`), which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

// Not awaited: the executable’s bundle is CommonJS, which allows no top-level await.
void run();

async function run(): Promise<void> {
  // People open the executable without a command to start a server.
  const isOpened = isExecutable && process.argv.length === 2;
  try {
    await program.parseAsync(isOpened ? [...process.argv, 'serve'] : process.argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode;
    else {
      printError(error);
      process.exitCode = exitCodeOf(error);
    }
  }
}

/** Copies the parent's settings to all commands: the hint after an error, and not to exit the process. */
function inherit(parent: Command): void {
  for (const command of parent.commands) {
    command.copyInheritedSettings(parent);
    inherit(command);
  }
}
