import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { migrations } from '../../../src/data/migrations.ts';
import { openSqlite } from '../../../src/ports/database/sqlite/sqlite.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { Folder } from '../../kit/programs/process.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/security.md'), 'utf8').replaceAll(/\s+/g, ' ');

/** The sentence of docs/security.md about what each unsealed column reveals. */
const IN_CLEAR: readonly [columns: string, says: string][] = [
  ['entries.parent_id', 'the parent of each folder'],
  ['entries.children', 'how many notes and other things each contains'],
  ['entries.explicit', 'which folders are explicit'],
  ['entries.kind', 'which notes and attachments share a folder'],
  ['entries.trashed', 'which of these are still in the trash'],
  ['vault_feeds.trash_notes', 'how much the trash contains'],
  ['note_aliases.note_id', 'how many aliases each note has'],
  ['link_resolutions.name_key', 'names whose many links are being resolved again'],
  ['canvas_names.attachment_id', 'how many names each canvas refers to'],
  ['log_records.level_blind', 'which log lines of the account have the same level or the same category'],
  ['log_records.category_blind', 'which log lines of the account have the same level or the same category'],
  ['sync_devices.watermark', 'how far it has read the feed (its watermark)'],
  ['invites.email', '`invites.email`'],
  ['analytics_erasures.analytics_id', '`analytics_erasures.analytics_id`'],
  ['search_vectors.failures', '`search_vectors.failures`'],
];

test('docs/security.md lists what columns in clear reveal', async () => {
  using folder = new Folder();
  const file = databaseFile(folder.path);
  const db = await openSqlite({ file });
  await db.migrate(migrations);
  await db[Symbol.asyncDispose]();
  await using raw = await openRaw({ file });
  const columns = new Set<string>();
  for (const table of await raw.tables()) {
    for (const { name } of await raw.all(`select name from pragma_table_info('${table}')`))
      columns.add(`${table}.${name}`);
  }
  for (const [column, says] of IN_CLEAR) {
    assert.ok(columns.has(column), `${column} is no column`);
    assert.ok(page.includes(says), `the page does not say: ${says}`);
  }
});
