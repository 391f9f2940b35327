import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import type { Config } from '@notevault/server/config/config.ts';
import { configOf } from '../config-flags.ts';
import { localVaultClient, type VaultClient } from '../copy/vault-client.ts';
import { withVaultClient } from '../copy/with-vault-client.ts';
import { CliError } from '../error-messages.ts';
import { print } from '../print.ts';
import { progressLine } from '../progress.ts';

interface Flags extends Record<string, unknown> {
  readonly vault: string;
  readonly note?: string;
  readonly user?: string;
}

/**
 * Restores one vault of a backup as a new vault, or one note as a new version of the current note, in this process or
 * through the server that uses the data folder. Earlier versions are not restored.
 */
export async function restoreVault(path: string, flags: Flags, passphrase: string | null): Promise<void> {
  const config = configOf(flags);
  await using opened = new AsyncDisposableStack();
  const { scratch, source } = await openSource(opened, path, flags, config, passphrase);
  if (flags.note !== undefined) {
    const note = await source.vault.read(flags.note);
    if (note === null) throw new CliError(`The vault "${flags.vault}" in the backup has no note ${flags.note}.`);
    const { content, mtime } = note;
    const written = await withVaultClient(flags, { name: flags.vault, make: 'never' }, (client) =>
      client.upsert({ path: note.path, content, mtime }),
    );
    print(
      `Restored ${written.path} of "${flags.vault}" as version ${written.version}; the previous text is kept as an earlier version.`,
    );
    return;
  }
  const dated = `${flags.vault} (${source.takenAt.slice(0, 10)})`;
  const choice = { name: dated, make: 'always' } as const;
  const { name, notes, attachments, failed } = await withVaultClient(flags, choice, async (client) => ({
    name: client.name,
    ...(await copyVault(source.vault, client, scratch)),
  }));
  print(
    `Restored "${flags.vault}" as the vault "${name}": ${counted(notes, 'note')}, ${counted(attachments, 'attachment')}.`,
  );
  print('  The new vault has no other members: members and invitations are not restored.');
  for (const { path, why } of failed) print(`  not restored  ${path}: ${why}`);
  if (failed.length > 0) process.exitCode = 1;
}

async function openSource(
  opened: AsyncDisposableStack,
  path: string,
  { vault, user }: Flags,
  config: Config,
  passphrase: string | null,
) {
  const { openBackup, keyOfBackup, checkHashes } = await import('@notevault/server/backup/read/open-backup.ts');
  const { openCopyApp } = await import('@notevault/server/backup/read/open-copy.ts');
  const backup = opened.use(await openBackup(path));
  const key = await keyOfBackup(backup.source, config, passphrase);
  if (key === null)
    throw new CliError('The backup needs its master key: set NOTEVAULT_MASTER_KEY or use --passphrase-stdin.');
  const line = progressLine();
  await checkHashes(backup.source, (bytes) => line(`${(bytes / 1_000_000).toFixed(1)} MB compared`, false));
  const app = opened.use(await openCopyApp(backup, key, config));
  const client = await localVaultClient(app, user, { name: vault, make: 'never' });
  return {
    scratch: backup.scratch,
    source: { vault: client, takenAt: backup.source.manifest.body.taken_at },
  };
}

async function copyVault(from: VaultClient, to: VaultClient, scratch: string) {
  const { notes: paths, files, damaged } = await from.list();
  const failed = [...damaged];
  /** Copies all items and resolves to the number that succeeded. */
  const copyAll = async <Item extends { readonly path: string }>(
    items: readonly Item[],
    copy: (item: Item) => Promise<void>,
  ) => {
    const before = failed.length;
    for (const item of items) {
      await copy(item).catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        failed.push({ path: item.path, why: 'is damaged in the backup' });
      });
    }
    return items.length - (failed.length - before);
  };
  const attachments = await copyAll(files, async ({ path, mtime, size_bytes: size, content_hash: hash }) => {
    const at = join(scratch, 'attachment');
    await pipeline(await from.bytesOf(path), createWriteStream(at, { mode: 0o600 }));
    const stored = await to.upload(path, { at, size, mtime });
    if (stored.content_hash !== hash) throw new CliError(`The stored attachment ${path} differs from the backup.`);
    await rm(at);
  });
  const listed = paths.map((path) => ({ path }));
  const notes = await copyAll(listed, async ({ path }) => {
    const note = await from.read(path);
    if (note === null) throw new CliError(`The note ${path} in the backup cannot be read.`);
    const written = await to.upsert({ path, content: note.content, mtime: note.mtime });
    if (written.content_hash !== note.content_hash)
      throw new CliError(`The stored note ${path} differs from the backup.`);
  });
  return { notes, attachments, failed };
}

/**
 * Returns whether an error means that a row of the backup is damaged. Errors of the target vault end the copy instead.
 */
function isUnreadable(error: unknown): boolean {
  return error instanceof NotevaultError && error.code.endsWith('_unreadable');
}
