import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { BlobId, VaultId } from '@notevault/protocol/values/ids.ts';
import { onEachEngine } from '../../../test/kit/engines.ts';
import { startServer } from '../../../test/kit/server.ts';
import { prepareRestored } from './prepare-restored.ts';

onEachEngine('restored data', (open) => {
  test('restored data keeps the bytes of the data before for 30 days, however old they are', async () => {
    await using server = await startServer({ open });
    const { alice, app, blobs, clock, db } = server;
    const { body } = await alice.post('/vaults', { name: 'Diary' });
    // A blob without a row: of an attachment that the backup does not have.
    await blobs.put({ vaultId: body.vault.id as VaultId, blobId: clock.uuid() as BlobId }, Readable.from(['bytes']));
    clock.advance({ days: 40 });
    await prepareRestored(db, clock, false);
    clock.advance({ days: 29 });
    assert.equal(await app.attachments.collectOrphans(), 0);
    clock.advance({ days: 2 });
    assert.equal(await app.attachments.collectOrphans(), 1);
  });
});
