import { backupDdl, backupFailureDdl } from '../backup/take/lease.tables.ts';
import { accountRightsDdl, accountsDdl } from '../domains/accounts/accounts.tables.ts';
import { attachmentsDdl } from '../domains/attachments/attachments.tables.ts';
import { credentialsDdl } from '../domains/credentials/credentials.tables.ts';
import { devicesDdl } from '../domains/devices/devices.tables.ts';
import { entriesDdl } from '../domains/entries/entries.tables.ts';
import { idempotencyDdl } from '../domains/idempotency/idempotency.tables.ts';
import { importsDdl } from '../domains/imports/imports.tables.ts';
import { keysDdl } from '../domains/keys/keys.tables.ts';
import { canvasNamesDdl, linksDdl } from '../domains/links/links.tables.ts';
import { logsDdl } from '../domains/logs/logs.tables.ts';
import { membersDdl } from '../domains/members/members.tables.ts';
import { notesDdl } from '../domains/notes/notes.tables.ts';
import { oauthDdl } from '../domains/oauth/oauth.tables.ts';
import { personalDdl } from '../domains/personal/personal.tables.ts';
import { vectorsDdl, wantedVectorsDdl } from '../domains/search/embedding/vectors.tables.ts';
import { searchDdl } from '../domains/search/search.tables.ts';
import { devicesOfPeopleDdl, syncDdl } from '../domains/sync/sync.tables.ts';
import { ticketsDdl } from '../domains/tickets/tickets.tables.ts';
import { uploadProgressDdl, uploadsDdl } from '../domains/uploads/uploads.tables.ts';
import {
  handedOverDdl,
  vaultLinksDdl,
  vaultMembersDdl,
  vaultRightsDdl,
  vaultsDdl,
} from '../domains/vaults/vaults.tables.ts';
import { blobsDdl } from '../ports/blobs/database.tables.ts';
import type { Migration } from '../ports/database/database.ts';
import { serverIdentityDdl } from '../ports/database/postgres/identity.tables.ts';
import { cachePagesDdl, searchWeightsDdl } from './retired-tables.ts';

const FROM_0_1_0 =
  'the database was made by Notevault 0.1.0, whose schema this version does not read: ' +
  'export each vault with 0.1.0 (`notevault export`) and import it here (`notevault import`)';

/** Every step of the schema, in order. A released step is never edited; a later change is a new step. */
export const migrations: readonly Migration[] = [
  {
    number: 1,
    name: 'tree',
    version: '0.2.0',
    unreadable: { foundation: FROM_0_1_0, entries: FROM_0_1_0 },
    ddl: [
      keysDdl,
      accountsDdl,
      idempotencyDdl,
      vaultsDdl,
      cachePagesDdl,
      attachmentsDdl,
      entriesDdl,
      notesDdl,
      linksDdl,
      searchDdl,
      vectorsDdl,
      searchWeightsDdl,
      syncDdl,
      credentialsDdl,
      devicesDdl,
      oauthDdl,
      ticketsDdl,
      logsDdl,
      importsDdl,
      blobsDdl,
      backupDdl,
    ].join('\n'),
  },
  {
    number: 2,
    name: 'vectors-on-demand',
    version: '0.3.0',
    ddl: ['drop table search_weights;', wantedVectorsDdl].join('\n'),
  },
  { number: 3, name: 'personal', version: '0.3.0', ddl: personalDdl },
  { number: 4, name: 'members', version: '0.3.0', ddl: [devicesOfPeopleDdl, vaultMembersDdl, membersDdl].join('\n') },
  { number: 5, name: 'uploads', version: '0.3.0', ddl: uploadsDdl },
  { number: 6, name: 'handed-over', version: '0.3.0', ddl: handedOverDdl },
  { number: 7, name: 'server-identity', version: '0.3.0', ddl: serverIdentityDdl },
  { number: 8, name: 'backup-failures', version: '0.3.0', ddl: backupFailureDdl },
  { number: 9, name: 'rights', version: '0.3.0', ddl: [accountRightsDdl, vaultRightsDdl].join('\n') },
  { number: 10, name: 'canvases', version: '0.3.0', ddl: [vaultLinksDdl, canvasNamesDdl].join('\n') },
  { number: 11, name: 'upload-progress', version: '0.3.0', ddl: uploadProgressDdl },
  { number: 12, name: 'no-cache-pages', version: '0.3.0', ddl: 'drop table cache_pages;' },
];
