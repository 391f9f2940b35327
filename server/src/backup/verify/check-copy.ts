import { createHash } from 'node:crypto';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Manifest } from '@notevault/protocol/sync.ts';
import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { App } from '../../app.ts';
import { openSamples } from '../../data/sealed-samples.ts';
import { activeVaultIds, type OpenVault } from '../../domains/content/vaults/vaults.ts';
import { checkDataKeys } from '../../domains/foundation/keys/keys.ts';
import type { Database } from '../../ports/database/database.ts';
import type { Keyring } from '../../ports/keyring/keyring.ts';
import { type Damage, findDamagedRows } from './damaged-rows.ts';

/** The findings in restored data. */
export interface CopyCheck {
  readonly vaults: number;
  readonly notes: number;
  readonly attachments: number;
  /** Rows that were damaged before the backup was taken, which a restore brings back as they are. */
  readonly damage: Damage;
  /** Faults in words, without content of notes; empty when everything else works. */
  readonly faults: readonly string[];
}

/** Number of vaults that are checked, unless all are. */
const VAULTS_TRIED = 5;

/**
 * Checks restored data as a server would use it: every data key, every row of the vaults, one value of each other kind,
 * and in some vaults a manifest, a page of the change feed and a search. Single damaged rows do not fail the check:
 * otherwise they would prevent a restore of everything else.
 *
 * @param deep opens every sealed value, and reads every note and attachment of every vault.
 */
export async function checkCopy(db: Database, app: App, keyring: Keyring, deep: boolean): Promise<CopyCheck> {
  const faults: string[] = [];
  const attempt = async (what: string, work: () => Promise<void>) => {
    await work().catch((error: unknown) => {
      faults.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    });
  };
  await attempt('data keys', () => checkDataKeys(db, keyring));
  await attempt('sealed values', async () => {
    const { damaged } = await openSamples(db, keyring, deep);
    if (damaged.length > 0) throw new Error(`a value of ${damaged.join(', ')} does not open`);
  });
  const damage = await findDamagedRows(db, keyring);
  if (damage.opened === 0 && damage.damaged > 0) faults.push('rows: none of a note, attachment or folder opens');
  const totals = { vaults: 0, notes: 0, attachments: 0 };
  for await (const id of activeVaultIds(db)) {
    totals.vaults += 1;
    if (!deep && totals.vaults > VAULTS_TRIED) continue;
    await attempt(`vault ${id}`, async () => {
      const unlessDamaged: Attempt = (what, work) =>
        attempt(what, () =>
          work().catch((error: unknown) => {
            // Counted already. In a vault without damaged rows it is a fault.
            if (!isUnreadable(error) || !damage.vaults.has(id)) throw error;
          }),
        );
      const checked = await checkVault(app, id, deep, unlessDamaged);
      totals.notes += checked.notes;
      totals.attachments += checked.attachments;
    });
  }
  return { ...totals, damage, faults };
}

type Attempt = (what: string, work: () => Promise<void>) => Promise<void>;

async function checkVault(app: App, id: VaultId, deep: boolean, attempt: Attempt) {
  const vault = await app.vaults.openAsSystem(id);
  if (vault === null) return { notes: 0, attachments: 0 };
  // Edits that were only in the update log when the backup was taken: without them the manifest has older hashes.
  if (deep) await app.notes.live.flush(vault);
  const found = await app.sync.manifest(vault, undefined, 'list');
  if ('unchanged' in found) throw new TypeError('a manifest that was not asked for by its seq');
  const { notes = [], attachments = [] } = JSON.parse(Buffer.concat(found.json).toString()) as Manifest;
  await app.sync.changes(vault, {}, null);
  await search(app, vault);
  if (deep) {
    for (const { id: note, content_hash: hash } of notes) {
      await attempt(`note ${note}`, async () => {
        const { content } = await app.notes.getById(vault, note as NoteId);
        if (createHash('sha256').update(content).digest('hex') !== hash) throw new Error('has another text');
      });
    }
    for (const { id: file, path, content_hash: hash } of attachments) {
      await attempt(`attachment ${file}`, () => checkAttachment(app, vault, path, hash));
    }
  }
  return { notes: notes.length, attachments: attachments.length };
}

async function checkAttachment(app: App, vault: OpenVault, path: string, expected: string): Promise<void> {
  const { attachment, bytes } = await app.attachments.open(vault, path);
  const hash = createHash('sha256');
  for await (const piece of await bytes({ start: 0, end: attachment.size_bytes })) hash.update(piece);
  if (hash.digest('hex') !== expected) throw new Error('has other bytes');
}

function isUnreadable(error: unknown): boolean {
  return error instanceof NotevaultError && /^(?:note|attachment)_unreadable$/.test(error.code);
}

/** Searches as the owner. A word that no note has still needs the index of the vault. */
async function search(app: App, vault: OpenVault): Promise<void> {
  const owner = {
    kind: 'session',
    userId: vault.ownerId,
    credentialId: vault.id,
    name: 'check',
    tier: vault.tier,
  } as const;
  await app.search.find(owner, vault, { query: 'the', mode: 'keyword' });
}
