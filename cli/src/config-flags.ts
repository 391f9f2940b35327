import { type Config, type Flags, processConfig } from '@notevault/server/config/config.ts';
import { flagOf, listOptions, type OptionName, variableOf } from '@notevault/server/config/options.ts';
import { Command, Option } from 'commander';

/** Adds all or only the named configuration options to a command. Each can also be set by its environment variable. */
export function withConfig(command: Command, names?: readonly OptionName[]): Command {
  for (const { name, option } of listOptions()) {
    if (names !== undefined && !names.includes(name)) continue;
    const standard = option.absent ?? String(option.default);
    command.addOption(
      new Option(
        `${flagOf(name)} <value>`,
        `${option.does} (${variableOf(name)}; ${option.kind.expects}; default: ${standard})`,
      ),
    );
  }
  return command;
}

/** Adds all configuration options to a command. Its help lists only the named ones, unless `--help=all` asks for all. */
export function withAllConfig(command: Command, listed: readonly OptionName[]): Command {
  const flags = new Set(listed.map((name) => flagOf(name)));
  const own = command.options.length;
  const others = withConfig(command)
    .options.slice(own)
    .filter(({ long }) => !flags.has(long ?? ''));
  for (const option of others) option.hideHelp();
  return command
    .option('-h, --help [which]', 'display help for command; --help=all lists all options')
    .on('option:help', (which: string | null) => {
      if (which === 'all') for (const option of others) option.hideHelp(false);
      command.help();
    });
}

/** Options that most commands need to open the data. */
export const storageOptions: readonly OptionName[] = ['dataDir', 'databaseUrl', 'masterKey'];

/** Returns a command on a vault of an account, which `withVaults` and `vaultNamed` look up. */
export function vaultCommand(name: string): Command {
  return withConfig(new Command(name), storageOptions)
    .option('--vault <name>', 'name of the vault (default: the account’s default vault)')
    .option('--user <email>', 'the account that owns the vault (default: the only account)');
}

/** The options that a command needs to send a mail. */
export const mailOptions: readonly OptionName[] = ['smtpUrl', 'mailFrom', 'publicUrl', 'host', 'port'];

/** Options that a backup needs. */
export const backupOptions: readonly OptionName[] = [...storageOptions, 'blobs', 's3Endpoint', 's3Addressing'];

/** Reads the configuration from a command's flags and the environment. */
export function configOf(flags: Record<string, unknown>): Config {
  const given: Partial<Record<OptionName, string>> = {};
  for (const { name } of listOptions()) {
    const value = flags[name];
    if (typeof value === 'string') given[name] = value;
  }
  return processConfig(given as Flags);
}
