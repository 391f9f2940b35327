import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { openMeta as openAttachmentMeta } from '../../src/domains/content/attachments/sealed-attachment.ts';
import { folderMeta } from '../../src/domains/content/entries/sealed-entry.ts';
import { openTexts } from '../../src/domains/content/links/link-texts.ts';
import { sealed } from '../../src/domains/content/notes/sealed-note.ts';
import { openMeta as openVaultMeta } from '../../src/domains/content/vaults/sealed-vault.ts';
import type { OpenVault } from '../../src/domains/content/vaults/vaults.ts';
import type { SealingKey } from '../../src/ports/keyring/keyring.ts';

// The bytes of each kind as first stored in each format. A failing test means that stored rows can no longer be read
// after an upgrade: add a new format and a reader of the old one, and leave these bytes unchanged.

/** A vault whose values are stored in clear; the test is about their content, not the sealing. */
function vaultHolding(format: number, json: string): OpenVault {
  const bytes = Buffer.concat([Buffer.from([format]), Buffer.from(json)]);
  const key = { open: () => bytes } as unknown as SealingKey;
  return { id: 'v' as VaultId, ownerId: 'u' as UserId, key } as unknown as OpenVault;
}

const NOTE =
  '{"title":"T","tags":["a"],"aliases":["b"],"description":null,"resource":null,"type":null,"path":"f/n.md","hash":"00",' +
  '"head":"11","created":null,"timestamp":1700000000000,"parseStatus":"degraded",' +
  '"parseFault":{"code":"yaml_syntax","message":"m","detail":{"key":null,"line":2,"snippet":"---"}},"reason":"create",' +
  '"actor":{"kind":"session","name":"web"},"versionAt":1700000000000,"seed":7}';
const ACTOR = '{"kind":"session","name":"web"}';

interface Kind {
  readonly json: string;
  /** A value of this kind that lacks a required field. */
  readonly wrong: string;
  readonly code: string;
  read(vault: OpenVault): unknown;
}

const none = Buffer.alloc(0);
const KINDS: Readonly<Record<string, Kind>> = {
  'entries.meta of notes': {
    json: NOTE,
    wrong: '{"title":"T"}',
    code: 'note_unreadable',
    read: (vault) => sealed.openMeta(vault, 'n', 1, none),
  },
  'note_versions.meta': {
    json: `{"hash":"00","reason":"edit","actor":${ACTOR}}`,
    wrong: `{"hash":"00","reason":"unheard of","actor":${ACTOR}}`,
    code: 'note_unreadable',
    read: (vault) => sealed.openVersion(vault, 'n', 1, none),
  },
  'entries.meta of attachments': {
    json: '{"path":"f/a.png","hash":"00","type":"image/png"}',
    wrong: '{"path":"f/a.png"}',
    code: 'attachment_unreadable',
    read: (vault) => openAttachmentMeta(vault, { id: 'a', revision: 1, meta: none }),
  },
  'entries.meta of folders': {
    json: '{"path":"f/g"}',
    wrong: '{"name":"g"}',
    code: 'internal',
    read: (vault) => folderMeta.open(vault, { id: 'f', revision: 1, meta: none }),
  },
  'vaults.meta': {
    json: '{"name":"My vault","slug":"my-vault","description":null}',
    wrong: '{"name":"My vault"}',
    code: 'damaged_value',
    read: ({ id, key }) => openVaultMeta(key, { id, meta: none, meta_version: 1 }),
  },
};

for (const [kind, { json, wrong, code, read }] of Object.entries(KINDS)) {
  test(`${kind} of format 1 can still be read`, () => {
    assert.deepEqual(read(vaultHolding(1, json)), JSON.parse(json));
  });

  test(`${kind} of an unknown format, or of a wrong shape, is an error`, () => {
    const unknown = code === 'damaged_value' ? 'unknown_format' : code;
    assert.throws(() => read(vaultHolding(2, json)), { code: unknown });
    assert.throws(() => read(vaultHolding(1, wrong)), { code });
    assert.throws(() => read(vaultHolding(1, '')), { code });
  });
}

test('link_texts.texts of format 1 can still be read, with and without the target before a move', () => {
  const json = '[["Note","part","shown",0,"wikilink"],["New",null,null,1,"wikilink","Old","f/Old.md"]]';
  assert.deepEqual(openTexts(vaultHolding(1, json), 'n', 1, none), [
    { target: 'Note', anchor: 'part', alias: 'shown', embed: false, form: 'wikilink' },
    {
      target: 'New',
      anchor: null,
      alias: null,
      embed: true,
      form: 'wikilink',
      origin: { target: 'Old', path: 'f/Old.md' },
    },
  ]);
  assert.throws(() => openTexts(vaultHolding(2, json), 'n', 1, none), { code: 'unknown_format' });
  assert.throws(() => openTexts(vaultHolding(1, '[["Note"]]'), 'n', 1, none), { code: 'damaged_value' });
});
