import { restartLean } from '@notevault/server/config/process-memory.ts';
import { CONTROLS, type Control } from '@notevault/sync/run/run-once.ts';
import { Command, Option } from 'commander';
import type { SyncFlags } from '../sync/run/sync-command.ts';

const CONTROL_HELP: Readonly<Record<Control, string>> = {
  approve: 'Carry out what waits for your answer',
  'put-back': 'Undo what waits for your answer: bring deleted files back, and overwritten contents',
  check: 'Compare everything anew, and try again what was refused',
  pause: 'Stop syncing this folder until "resume"',
  resume: 'Go on after "pause"',
  'follow-server': 'Make the folder equal to the vault; what only the folder has goes to the trash',
  'make-authoritative': 'Make the vault equal to the folder; what only the vault has goes to the trash here',
};

export function syncCommand(): Command {
  const command = withVaultFlags(new Command('sync'))
    .description('Keep a folder and a vault in step')
    .usage('[options] <folder>\n       notevault sync <command> [options] <folder>')
    .argument('<folder>', 'the folder with your notes, for example an Obsidian vault')
    .option('--once', 'end when both sides are equal, instead of watching')
    .option('--watch', 'go on, and follow the changes of both sides (the default)')
    .option('--pull', 'only change the folder')
    .option('--push', 'only change the vault')
    .option('--dry-run', 'show what would be done, and do nothing')
    .option('--yes', 'carry out the deletions and overwrites of the first sync without asking, however many')
    .option('--json', 'print one JSON object a line')
    .option(
      '--settings <groups>',
      'sync these settings of Obsidian too: app, appearance, themes, hotkeys, core-plugins, community-plugins',
    )
    .addOption(new Option('--launchd', 'end with 0 once the folder is not synced any more').hideHelp())
    .addHelpText('after', HELP)
    .action(async (folder: string, flags: SyncFlags) => {
      // It runs for weeks, mostly without work.
      if (!flags.once && !flags.dryRun) restartLean(null);
      const { sync } = await import('../sync/run/sync-command.ts');
      await sync(folder, flags);
    });
  for (const control of CONTROLS) command.addCommand(controlCommand(control));
  return command.addCommand(statusCommand()).addCommand(restoreCommand()).addCommand(installCommand());
}

const HELP = `
Exit code: 0 in step, 1 fault, 2 waits for your answer.
Environment: NOTEVAULT_TOKEN, an API key or access token for unattended use instead of "notevault login".
A file .notevaultignore in the folder says what stays out, in the syntax of .gitignore.`;

function withVaultFlags(command: Command): Command {
  return command
    .option('--url <url>', 'address of the server (default: that of the login)')
    .option('--vault <name>', 'name or id of the vault (default: that of the login, or asked)')
    .option('--allow-http', 'allow an address without encryption, in a network that you trust');
}

function controlCommand(control: Control): Command {
  return withVaultFlags(new Command(control))
    .description(CONTROL_HELP[control])
    .argument('<folder>')
    .option('--json', 'print one JSON object a line')
    .option('--yes', 'do not ask')
    .action(async (folder: string, flags: SyncFlags) => {
      const { control: run } = await import('../sync/run/control-command.ts');
      await run(folder, control, flags);
    });
}

function statusCommand(): Command {
  return new Command('status')
    .description('Show whether folders are in step, what waits, and what is not synced and why')
    .argument('[folder]', 'default: all folders of this machine')
    .option('--json', 'print one JSON object a line')
    .action(async (folder: string | undefined, flags: { json?: boolean }) => {
      const { status } = await import('../sync/run/status-command.ts');
      await status(folder, flags.json === true);
    });
}

function restoreCommand(): Command {
  return new Command('restore')
    .description('Bring back a file from the trash, where what others deleted or replaced is kept for 30 days')
    .argument('<file>', 'where it was; with --list, a folder shows all of its files in the trash')
    .option('--list', 'only show what the trash has')
    .action(async (file: string, flags: { list?: boolean }) => {
      const { restore } = await import('../sync/run/restore-command.ts');
      await restore(file, flags.list === true);
    });
}

function installCommand(): Command {
  return new Command('install')
    .description('Sync a folder in the background from now on: a systemd unit of the user, or a launchd agent')
    .argument('<folder>')
    .option('--print', 'only print the file')
    .action(async (folder: string, flags: { print?: boolean }) => {
      const { install } = await import('../sync/run/install-command.ts');
      await install(folder, flags.print === true);
    });
}
