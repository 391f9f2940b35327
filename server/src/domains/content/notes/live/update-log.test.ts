import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { testClock } from '../../../../../test/kit/clock.ts';
import type { Database } from '../../../../ports/database/database.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { UpdateLog } from './update-log.ts';

const vaults = { holdRightsIn: async () => undefined };

test('an edit beyond the limit is refused like one that could not be stored, so its document is discarded', async () => {
  const vault = { id: 'vault', key: { seal: () => Buffer.alloc(1) } } as unknown as OpenVault;
  const away = async () => {
    throw new Error('the database is away');
  };
  await using log = new UpdateLog({ db: { transact: away } as unknown as Database, clock: testClock(), vaults });
  const edit = {
    vault,
    note: 'note' as NoteId,
    update: new Uint8Array(40 * MB),
    actor: { kind: 'session', name: 'bob' },
    document: {},
  };
  // The second is a rejection, not an exception: who awaits it closes the document, which holds the edit already.
  const said = await Promise.allSettled([log.append(edit), log.append(edit)]);
  assert.deepEqual(
    said.map((each) => each.status === 'rejected' && each.reason.code),
    ['unavailable', 'unavailable'],
  );
});

test('edits of two documents of a note share no row: whoever has one of them in memory lacks the other', async () => {
  const vault = { id: 'vault', key: { seal: () => Buffer.alloc(1) } } as unknown as OpenVault;
  await using log = new UpdateLog({
    db: { transact: async () => 1 } as unknown as Database,
    clock: testClock(),
    vaults,
  });
  const edit = { vault, note: 'note' as NoteId, update: new Uint8Array(1), actor: { kind: 'session', name: 'bob' } };
  const [first, second] = [
    { ...edit, document: {} },
    { ...edit, document: {} },
  ];
  const rows = await Promise.all([log.append(first), log.append(second), log.append(first)]);
  assert.equal(rows[0], rows[2]);
  assert.notEqual(rows[0], rows[1]);
});
