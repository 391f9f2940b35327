import { restartLean } from '@notevault/server/config/process-memory.ts';
import { isExecutable } from '@notevault/server/program/program.ts';
import { CONTROLS, type Control } from '@notevault/sync/run/run-once.ts';
import { Command, Option } from 'commander';
import type { SyncFlags } from '../sync/run/sync-command.ts';

const CONTROL_HELP: Readonly<Record<Control, string>> = {
  approve: 'Carry out the deletions and overwrites that wait for your confirmation',
  'put-back': 'Reject the deletions and overwrites that wait for your confirmation, and restore those files',
  check: 'Compare all files again, and retry what was refused',
  pause: 'Pause syncing this folder until "resume"',
  resume: 'Continue after "pause"',
  'follow-server': 'Make the folder equal to the vault; files that only the folder has go to the trash',
  'make-authoritative':
    'Make the vault equal to the folder; files that only the vault has go to the trash on this machine',
};

export function syncCommand(): Command {
  const command = withVaultFlags(new Command('sync'))
    .description('Sync a folder with a vault, in both directions')
    .usage('[options] <folder>\n       notevault sync <command> [options] <folder>')
    .argument('<folder>', 'the folder with your notes, for example an Obsidian vault')
    .option('--once', 'exit once both sides are equal, instead of watching')
    .option('--watch', 'keep running and sync changes of both sides (the default)')
    .option('--pull', 'download only: never change the vault')
    .option('--push', 'upload only: never change the folder')
    .option('--dry-run', 'show what would be done, without doing it')
    .option('--yes', 'do not ask before mass deletions and overwrites of the first sync')
    .option('--json', 'print one JSON object per line')
    .option(
      '--settings <groups>',
      'also sync these Obsidian settings: app, appearance, themes, hotkeys, core-plugins, community-plugins',
    )
    .addOption(new Option('--launchd', 'exit with 0 once the folder is no longer synced').hideHelp())
    .addHelpText('after', HELP)
    .action(async (folder: string, flags: SyncFlags) => {
      // A watching process runs for weeks, mostly idle, so it should use little memory.
      if (!flags.once && !flags.dryRun) restartLean(null, isExecutable);
      const { sync } = await import('../sync/run/sync-command.ts');
      await sync(folder, flags);
    });
  for (const control of CONTROLS) command.addCommand(controlCommand(control));
  return command.addCommand(statusCommand()).addCommand(restoreCommand()).addCommand(installCommand());
}

const HELP = `
Exit codes: 0 in sync, 1 error, 2 waiting for your confirmation.
Environment: NOTEVAULT_TOKEN, an API key or access token that replaces "notevault login" for unattended use.
A file .notevaultignore in the folder lists files to exclude, in the syntax of .gitignore.`;

function withVaultFlags(command: Command): Command {
  return command
    .option('--url <url>', 'address of the server (default: the linked server)')
    .option('--vault <name>', 'name or id of the vault (default: the linked vault; asks if there are several)')
    .option('--allow-http', 'allow unencrypted HTTP, in a network that you trust');
}

function controlCommand(control: Control): Command {
  return withVaultFlags(new Command(control))
    .description(CONTROL_HELP[control])
    .argument('<folder>')
    .option('--json', 'print one JSON object per line')
    .option('--yes', 'do not ask')
    .action(async (folder: string, flags: SyncFlags) => {
      const { control: run } = await import('../sync/run/control-command.ts');
      await run(folder, control, flags);
    });
}

function statusCommand(): Command {
  return new Command('status')
    .description('Show whether folders are in sync, what is waiting, and which files are not synced and why')
    .argument('[folder]', 'folder (default: all synced folders of this machine)')
    .option('--json', 'print one JSON object per line')
    .action(async (folder: string | undefined, flags: { json?: boolean }) => {
      const { status } = await import('../sync/run/status-command.ts');
      await status(folder, flags.json === true);
    });
}

function restoreCommand(): Command {
  return new Command('restore')
    .description('Restore a file from the trash, which keeps files that other devices deleted or replaced for 30 days')
    .argument('<file>', 'former path of the file; with --list, a folder lists all its files in the trash')
    .option('--list', 'only list the contents of the trash')
    .action(async (file: string, flags: { list?: boolean }) => {
      const { restore } = await import('../sync/run/restore-command.ts');
      await restore(file, flags.list === true);
    });
}

function installCommand(): Command {
  return new Command('install')
    .description('Sync a folder in the background, by a systemd user unit or a launchd agent')
    .argument('<folder>')
    .option('--print', 'only print the unit or agent file')
    .action(async (folder: string, flags: { print?: boolean }) => {
      const { install } = await import('../sync/run/install-command.ts');
      await install(folder, flags.print === true);
    });
}
