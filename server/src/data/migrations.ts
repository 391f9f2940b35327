import { backupDdl, backupFailureDdl } from '../backup/take/lease.tables.ts';
import { credentialsDdl } from '../domains/connecting/credentials/credentials.tables.ts';
import { ticketsDdl } from '../domains/connecting/credentials/tickets/tickets.tables.ts';
import { devicesDdl } from '../domains/connecting/devices/devices.tables.ts';
import { oauthDdl } from '../domains/connecting/oauth/oauth.tables.ts';
import {
  accountRightsDdl,
  accountsDdl,
  loginTokensDdl,
  signInDdl,
  stepUpDdl,
} from '../domains/content/accounts/accounts.tables.ts';
import { activityDdl } from '../domains/content/activity-log/activity-log.tables.ts';
import { attachmentsDdl } from '../domains/content/attachments/attachments.tables.ts';
import { entriesDdl } from '../domains/content/entries/entries.tables.ts';
import { identitiesDdl } from '../domains/content/identities/identities.tables.ts';
import { oidcDdl } from '../domains/content/identities/oidc/oidc.tables.ts';
import { passkeysDdl } from '../domains/content/identities/passkeys/passkeys.tables.ts';
import { canvasNamesDdl, linkResolutionsDdl, linksDdl } from '../domains/content/links/links.tables.ts';
import { mailsDdl } from '../domains/content/mails/mails.tables.ts';
import { membersDdl } from '../domains/content/members/members.tables.ts';
import { notesDdl } from '../domains/content/notes/notes.tables.ts';
import { personalDdl } from '../domains/content/personal/personal.tables.ts';
import {
  handedOverDdl,
  vaultLinksDdl,
  vaultMembersDdl,
  vaultRightsDdl,
  vaultsDdl,
} from '../domains/content/vaults/vaults.tables.ts';
import { importsDdl } from '../domains/exchanging/imports/imports.tables.ts';
import { publicLinksDdl } from '../domains/exchanging/public-links/public-links.tables.ts';
import { uploadProgressDdl, uploadsDdl } from '../domains/exchanging/uploads/uploads.tables.ts';
import { idempotencyDdl } from '../domains/foundation/idempotency/idempotency.tables.ts';
import { keysDdl } from '../domains/foundation/keys/keys.tables.ts';
import { logsDdl } from '../domains/operating/logs/logs.tables.ts';
import { vectorsDdl, wantedVectorsDdl } from '../domains/reading/search/embedding/vectors.tables.ts';
import { searchDdl } from '../domains/reading/search/search.tables.ts';
import { devicesOfPeopleDdl, syncDdl } from '../domains/reading/sync/sync.tables.ts';
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
  { number: 13, name: 'mails', version: '0.3.0', ddl: [mailsDdl, signInDdl].join('\n') },
  { number: 14, name: 'activity', version: '0.3.0', ddl: activityDdl },
  { number: 15, name: 'second-factors', version: '0.3.0', ddl: [stepUpDdl, identitiesDdl].join('\n') },
  { number: 16, name: 'public-links', version: '0.3.0', ddl: publicLinksDdl },
  { number: 17, name: 'oidc', version: '0.3.0', ddl: [loginTokensDdl, oidcDdl].join('\n') },
  { number: 18, name: 'link-resolutions', version: '0.3.0', ddl: linkResolutionsDdl },
  { number: 19, name: 'passkeys', version: '0.4.0', ddl: passkeysDdl },
];
