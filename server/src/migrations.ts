import { accountsDdl } from './domains/accounts/accounts.tables.ts';
import { idempotencyDdl } from './domains/idempotency/idempotency.tables.ts';
import { keysDdl } from './domains/keys/keys.tables.ts';
import { linksDdl } from './domains/links/links.tables.ts';
import { notesDdl } from './domains/notes/notes.tables.ts';
import { treeDdl } from './domains/tree/tree.tables.ts';
import { vaultsDdl } from './domains/vaults/vaults.tables.ts';
import type { Migration } from './engines/database/database.ts';

/** Every step of the schema, in order. A released step is never edited: what follows is a new one. */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'foundation',
    ddl: [keysDdl, accountsDdl, idempotencyDdl, vaultsDdl, treeDdl, notesDdl, linksDdl].join('\n'),
  },
];
