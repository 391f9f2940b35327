import type { DerivedNote } from '@notevault/note-text/derive.ts';
import { type Static, Type } from 'typebox';
import { type Immutable, SealedJson } from '../../../ports/keyring/sealed-json.ts';
import { openedOr } from '../../foundation/keys/keys.ts';
import { SEALED_ACTOR } from '../activity-log/actor.ts';
import type { Actor } from '../entries/entries.ts';
import { SealedMeta } from '../entries/sealed-entry.ts';
import type { OpenVault } from '../vaults/vaults.ts';

const text = Type.String();
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const numberOrNull = Type.Union([Type.Number(), Type.Null()]);
const oneOf = <Text extends string>(...texts: Text[]) => Type.Unsafe<Text>(Type.Enum(texts));

const REASON = oneOf('create', 'edit', 'merge', 'append', 'batch', 'agent', 'restore', 'link_rewrite');
export type VersionReason = Static<typeof REASON>;

/** Reasons of writes whose replaced versions are not thinned: nobody typed the change, so nobody saw what was lost. */
export const PINNED_REASONS: ReadonlySet<VersionReason> = new Set([
  'merge',
  'restore',
  'batch',
  'link_rewrite',
  'agent',
]);

/** How long every version is kept. */
export const KEEP_ALL_MS = 24 * 60 * 60 * 1000;

const PARSE_FAULT = Type.Object({
  code: Type.Unsafe<NonNullable<DerivedNote['parseReason']>['code']>(text),
  message: text,
  detail: Type.Object({ key: textOrNull, line: Type.Number(), snippet: text }),
});

const NOTE_META = Type.Object({
  path: text,
  /** Lower-case hex SHA-256 of the content. */
  hash: text,
  /** Head of the note's document, lower-case hex SHA-256. */
  head: text,
  title: text,
  tags: Type.Array(text),
  aliases: Type.Array(text),
  description: textOrNull,
  resource: textOrNull,
  type: textOrNull,
  /** Frontmatter dates, epoch milliseconds. */
  created: numberOrNull,
  timestamp: numberOrNull,
  parseStatus: oneOf<DerivedNote['parseStatus']>('ok', 'degraded'),
  parseFault: Type.Union([PARSE_FAULT, Type.Null()]),
  reason: REASON,
  actor: SEALED_ACTOR,
  /** When the version was made, epoch milliseconds: a rename writes the row, but makes no version. */
  versionAt: Type.Number(),
  /** When the socket edits of the version began: edits within minutes form one step of the history. */
  typingSince: Type.Optional(Type.Number()),
  /** The client id of the seed, while the document is still its seed. */
  seed: Type.Optional(Type.Number()),
  /** The number of items in the document, if it is no longer its seed. */
  structs: Type.Optional(Type.Number()),
  /** Tombstones only: the account and the device that deleted the note, if it sent its id; see `originOf`. */
  deletedBy: Type.Optional(textOrNull),
  /** Tombstones only: the credential that deleted the note. */
  deletedActor: Type.Optional(SEALED_ACTOR),
  /** The actor of the last move since the version was made. */
  movedActor: Type.Optional(SEALED_ACTOR),
});
/** The sealed part of a note's row: everything that reveals something about its content. */
export type NoteMeta = Immutable<Static<typeof NOTE_META>>;

const noteMeta = new SealedMeta(new SealedJson(1, NOTE_META), 'note_unreadable');

const VERSION_META = Type.Object({ hash: text, reason: REASON, actor: SEALED_ACTOR });
/** The sealed part of a stored version. */
export type VersionMeta = Immutable<Static<typeof VERSION_META>>;

const versionMeta = new SealedJson(1, VERSION_META);
const editsActor = new SealedJson(1, SEALED_ACTOR);

/** The installation that sends a request: two people may name theirs alike. Null if it sent no id. */
export function originOf({ callerId }: Pick<OpenVault, 'callerId'>, device: string | null): string | null {
  return device === null ? null : `${callerId} ${device}`;
}

const contentContext = (id: string, version: number) => ({ kind: 'notes.content', row: id, version });
const docContext = (id: string, version: number) => ({ kind: 'notes.doc', row: id, version });
const snapshotContext = (id: string, version: number) => ({ kind: 'note_versions.snapshot', row: id, version });
const editsContext = (id: string, row: string) => ({ kind: 'note_updates.payload', row: `${id}:${row}`, version: 0 });
const versionContext = (id: string, version: number) => ({ kind: 'note_versions.meta', row: id, version });

/** Seals and unseals the parts of notes; unreadable data is `note_unreadable`, never empty. */
export const sealed = {
  meta: (vault: OpenVault, id: string, revision: number, meta: NoteMeta) => noteMeta.seal(vault, id, revision, meta),
  openMeta: (vault: Pick<OpenVault, 'key'>, id: string, revision: number, meta: Uint8Array): NoteMeta =>
    noteMeta.open(vault, { id, revision, meta }),

  content: (vault: OpenVault, id: string, version: number, utf8: Buffer) =>
    vault.key.seal(contentContext(id, version), utf8),
  openContent: (vault: Pick<OpenVault, 'key'>, id: string, version: number, bytes: Uint8Array) =>
    unsealed(() => vault.key.open(contentContext(id, version), bytes).toString('utf8')),

  doc: (vault: OpenVault, id: string, version: number, state: Uint8Array) =>
    vault.key.seal(docContext(id, version), state),
  openDoc: (vault: OpenVault, id: string, version: number, bytes: Buffer) =>
    unsealed(() => vault.key.open(docContext(id, version), bytes)),

  snapshot: (vault: OpenVault, id: string, version: number, snapshot: Uint8Array) =>
    vault.key.seal(snapshotContext(id, version), snapshot),
  openSnapshot: (vault: OpenVault, id: string, version: number, bytes: Buffer) =>
    unsealed(() => vault.key.open(snapshotContext(id, version), bytes)),

  /** The author of the edits, then the edits; each part is preceded by its length in four bytes. */
  edits: (vault: OpenVault, id: string, row: string, actor: Actor, updates: readonly Uint8Array[]) => {
    const parts = [editsActor.encode(actor), ...updates];
    return vault.key.seal(editsContext(id, row), Buffer.concat(parts.flatMap((part) => [lengthOf(part), part])));
  },
  openEdits: (vault: OpenVault, id: string, row: string, bytes: Buffer) =>
    unsealed(() => {
      const context = editsContext(id, row);
      const [actor = Buffer.alloc(0), ...updates] = partsOf(vault.key.open(context, bytes));
      return { actor: editsActor.decode(actor, context.kind), updates };
    }),

  version: (vault: OpenVault, id: string, version: number, meta: VersionMeta) =>
    versionMeta.seal(vault.key, versionContext(id, version), meta),
  openVersion: (vault: OpenVault, id: string, version: number, bytes: Buffer): VersionMeta =>
    unsealed(() => versionMeta.open(vault.key, versionContext(id, version), bytes)),
};

function lengthOf(part: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}

function partsOf(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at);
    parts.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return parts;
}

const unsealed = <T>(open: () => T): T => openedOr('note_unreadable', open);
