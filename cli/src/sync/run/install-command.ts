import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ownCommand } from '@notevault/server/program/program.ts';
import { processEnvironment } from '../../environment.ts';
import { CliError, EXIT_ENDED } from '../../error-messages.ts';
import { findFolder, requireFolder } from '../state/find-folder.ts';
import { FolderRegistry } from '../state/folder-registry.ts';

/** Service definition that starts a program with the user's session, and the commands that enable it. */
export interface Service {
  readonly file: string;
  readonly text: string;
  readonly commands: readonly (readonly string[])[];
}

/** `notevault sync install`: syncs a folder in the background from now on. */
export async function install(dir: string, isPrint: boolean): Promise<void> {
  const environment = processEnvironment();
  const root = await requireFolder(dir, environment.stateFolder);
  const found = await findFolder(new FolderRegistry(environment.stateFolder), root);
  if (found.kind !== 'known')
    throw new CliError(
      `${root} is not synced yet: run "notevault sync --once" first, so that nothing has to be asked later.`,
    );
  const command = [...ownCommand(process.execArgv), 'sync', root];
  const { file, text, commands } = serviceFor(
    process.platform,
    homedir(),
    command,
    found.record.folderId,
    environment.folderVariables,
  );
  if (isPrint) {
    process.stdout.write(text);
    return;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  for (const [name = '', ...args] of commands) {
    const { status, stderr } = spawnSync(name, args, { encoding: 'utf8' });
    if (status !== 0)
      throw new CliError(
        `${file} is written, but "${name} ${args.join(' ')}" failed: ${stderr.trim() || 'not found'}.`,
      );
  }
  process.stdout.write(`${root} is now synced in the background (${file}).\n`);
}

/**
 * Describes the command as a service for the service manager of the system.
 *
 * @param command program and arguments
 * @param variables environment variables for the service, because it does not inherit the shell's
 */
export function serviceFor(
  platform: NodeJS.Platform,
  home: string,
  command: readonly string[],
  folderId: string,
  variables: Readonly<Record<string, string>> = {},
): Service {
  const name = `notevault-sync-${folderId.slice(0, 8)}`;
  if (platform === 'linux') {
    const file = join(home, '.config/systemd/user', `${name}.service`);
    const unit = ['systemctl', '--user'];
    return {
      file,
      text: systemdUnit(command, variables),
      commands: [
        [...unit, 'daemon-reload'],
        [...unit, 'enable', '--now', `${name}.service`],
      ],
    };
  }
  if (platform === 'darwin') {
    const file = join(home, 'Library/LaunchAgents', `net.notevault.${name}.plist`);
    return {
      file,
      text: launchdAgent(`net.notevault.${name}`, [...command, '--launchd'], variables),
      commands: [['launchctl', 'load', '-w', file]],
    };
  }
  throw new CliError(
    'Notevault cannot install a background service on this system: start "notevault sync" at login yourself.',
  );
}

function systemdUnit(command: readonly string[], variables: Readonly<Record<string, string>>): string {
  const quoted = (word: string) => `"${word.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('%', '%%')}"`;
  const environment = Object.entries(variables).map(([key, value]) => `Environment=${quoted(`${key}=${value}`)}\n`);
  // A percent sign is a specifier of systemd, and in a command a dollar sign a variable.
  const started = command.map((word) => quoted(word).replaceAll('$', '$$$$'));
  return `[Unit]
Description=Notevault folder sync

[Service]
${environment.join('')}ExecStart=${started.join(' ')}
Restart=on-failure
RestartSec=60
RestartPreventExitStatus=${EXIT_ENDED}

[Install]
WantedBy=default.target
`;
}

function launchdAgent(label: string, command: readonly string[], variables: Readonly<Record<string, string>>): string {
  const escaped = (word: string) => word.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const pairs = Object.entries(variables).map(
    ([key, value]) => `    <key>${key}</key><string>${escaped(value)}</string>\n`,
  );
  const environment =
    pairs.length === 0 ? '' : `  <key>EnvironmentVariables</key>\n  <dict>\n${pairs.join('')}  </dict>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
${environment}  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>60</integer>
</dict>
</plist>
`;
}
