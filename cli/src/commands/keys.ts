import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { counted } from '@notevault/protocol/values/counted.ts';
import { lockDataFolder, requireData } from '@notevault/server/data/data-folder.ts';
import { systemClock } from '@notevault/server/ports/clock/clock.ts';
import { parseMasterKey } from '@notevault/server/ports/keyring/key-file.ts';
import { Command } from 'commander';
import { configOf, storageOptions, withConfig } from '../config-flags.ts';
import { CliError } from '../error-messages.ts';
import { progressLine } from '../progress.ts';

type Flags = Record<string, unknown>;
const print = (line: string) => process.stdout.write(`${line}\n`);

export function keysCommand(): Command {
  return new Command('keys')
    .description('Show, create or rotate the master key, which encrypts all other keys')
    .addCommand(newKey())
    .addCommand(status())
    .addCommand(rotate());
}

function newKey(): Command {
  return new Command('new')
    .description('Print a new master key, for NOTEVAULT_MASTER_KEY; changes nothing')
    .action(() => {
      print(randomBytes(32).toString('base64'));
    });
}

function status(): Command {
  return withConfig(new Command('status'), storageOptions)
    .description('Show where the master key is and how many keys it encrypts (stop the server first)')
    .action(async (flags: Flags) => {
      const config = configOf(flags);
      requireData(config);
      await using opened = new AsyncDisposableStack();
      if (config.databaseUrl === null) opened.use(lockDataFolder(config.dataDir));
      const { masterKeyFor, openDatabase } = await import('@notevault/server/open-ports.ts');
      const { countKeysByMaster } = await import('@notevault/server/domains/foundation/keys/keys.ts');
      const db = opened.use(await openDatabase(config));
      const key = await masterKeyFor(config, db, systemClock(), { unfinishedRotation: true });
      print(`Master key from ${key.origin}${key.made ? ' (created just now)' : ''}`);
      for (const { masterKeyId, keys } of await countKeysByMaster(db))
        print(`  ${masterKeyId}  wraps ${counted(keys, 'data key')}`);
    });
}

function rotate(): Command {
  return withConfig(new Command('rotate'), storageOptions)
    .description(
      'Re-encrypt all data keys with a new master key (stop every server first); if interrupted, run it again',
    )
    .option('--new-key-stdin', 'read the new key (base64) from standard input instead of creating one')
    .action(async (flags: Flags) => {
      const config = configOf(flags);
      const given = flags.newKeyStdin === true ? parseMasterKey(await text(process.stdin), 'Standard input') : null;
      if (config.masterKey !== null && given === null) {
        throw new CliError(
          'The master key comes from NOTEVAULT_MASTER_KEY, which only you can change: create a key with "notevault keys new", ' +
            'pipe it into "notevault keys rotate --new-key-stdin", then set the variable to the new key.',
        );
      }
      requireData(config);
      const { rotateMasterKey } = await import('@notevault/server/data/rotate-master-key.ts');
      const line = progressLine();
      const done = await rotateMasterKey(config, given, (count) => line(`${counted(count, 'data key')}`, false));
      print(
        `${counted(done.dataKeys, 'data key')} ${done.dataKeys === 1 ? 'is' : 'are'} now encrypted with master key ${done.masterKeyId}.`,
      );
      if (done.oldKeyFile === null)
        print('Set NOTEVAULT_MASTER_KEY (or the key file) to the new key before you start the server.');
      else {
        print(
          `The previous key is kept in ${done.oldKeyFile}: existing backups need it. Delete it with the last of them.`,
        );
      }
    });
}
