import type { LinkForm, ParsedLink } from '@notevault/note-text/links/parsed-link.ts';
import type { Candidate } from '@notevault/note-text/links/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Backlink } from '@notevault/protocol/links.ts';
import type { NoteLink } from '@notevault/protocol/notes.ts';
import { Type } from 'typebox';
import { KeyringError } from '../../../ports/keyring/keyring.ts';
import { SealedJson } from '../../../ports/keyring/sealed-json.ts';
import { openedOr } from '../../foundation/keys/keys.ts';
import { attachmentPath } from '../attachments/attachments.ts';
import { type NoteMeta, openNoteMeta } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { Target } from './link-resolver.ts';

/** The content of a link, without its position in the text. */
export interface LinkText {
  readonly target: string;
  readonly anchor: string | null;
  readonly alias: string | null;
  readonly embed: boolean;
  readonly form: LinkForm;
  /**
   * The target text before moves rewrote the link, and the path of the target at that time: it is restored when the
   * target moves back.
   */
  readonly origin?: Origin;
}

export interface Origin {
  readonly target: string;
  readonly path: string;
}

const textOrNull = Type.Union([Type.String(), Type.Null()]);
const link = [Type.String(), textOrNull, textOrNull, Type.Number(), Type.Unsafe<LinkForm>(Type.String())] as const;
/**
 * Target, anchor, alias, 1 for an embed, form; then, for a link that a move rewrote, its original target text and the
 * path of that target.
 */
const linkTexts = new SealedJson(
  1,
  Type.Array(Type.Union([Type.Tuple([...link]), Type.Tuple([...link, Type.String(), Type.String()])])),
);

const contextOf = (source: string, version: number) => ({ kind: 'link_texts.texts', row: source, version });

export function textOf({ target, anchor, alias, embed, form }: ParsedLink): LinkText {
  return { target, anchor, alias, embed, form };
}

/** Returns a key that is equal for two links of a note that count as the same: such a link keeps its age. */
export function identityOf({ target, anchor, alias }: LinkText): string {
  return JSON.stringify([target, anchor, alias]);
}

export function sameTexts(a: readonly LinkText[], b: readonly LinkText[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((text, index) => {
    const other = b[index];
    if (other === undefined || text.form !== other.form || text.embed !== other.embed) return false;
    return text.target === other.target && text.anchor === other.anchor && text.alias === other.alias;
  });
}

export function sealTexts(vault: OpenVault, source: string, version: number, texts: readonly LinkText[]): Buffer {
  const rows = texts.map(({ target, anchor, alias, embed, form, origin }) => {
    const row: [string, string | null, string | null, number, LinkForm] = [target, anchor, alias, embed ? 1 : 0, form];
    return origin === undefined ? row : ([...row, origin.target, origin.path] as const);
  });
  return linkTexts.seal(vault.key, contextOf(source, version), rows);
}

/** Throws KeyringError when the value is damaged. */
export function openTexts(vault: OpenVault, source: string, version: number, sealed: Buffer): LinkText[] {
  return linkTexts
    .open(vault.key, contextOf(source, version), sealed)
    .map(([target, anchor, alias, embed, form, was, path]) => ({
      target,
      anchor,
      alias,
      embed: embed === 1,
      form,
      ...(was === undefined || path === undefined ? {} : { origin: { target: was, path } }),
    }));
}

export interface OpenedLink {
  readonly text: LinkText;
  readonly target: Target;
}

export function toNoteLink({ text, target }: OpenedLink): NoteLink {
  return {
    target_text: text.target,
    link_type: text.embed ? 'embed' : 'wikilink',
    dangling: target.note === null && target.attachment === null,
    alias: text.alias,
    anchor: text.anchor,
    target_note_id: target.note,
    target_attachment_id: target.attachment,
    target_path: target.path,
  };
}

/** Maps a link from another note to the wire; `meta` or `text` is null when that note is damaged. */
export function toBacklink(source: string, meta: NoteMeta | null, text: LinkText | null): Backlink {
  return {
    source_note_id: source,
    source_path: meta?.path ?? null,
    source_title: meta?.title ?? null,
    alias: text?.alias ?? null,
    anchor: text?.anchor ?? null,
  };
}

/** The columns of a note's row that its path and aliases need. */
export interface SealedNote {
  readonly id: string;
  readonly revision: number;
  readonly meta: Buffer;
}

export function readableMeta(vault: OpenVault, row: SealedNote): NoteMeta | null {
  return unsealOrNull(() => openNoteMeta(vault, row.id, row.revision, row.meta));
}

export function readableCandidate(
  vault: OpenVault,
  row: SealedNote & { readonly kind: Candidate['kind'] },
): Candidate | null {
  const { kind, id } = row;
  if (kind === 'note') {
    const meta = readableMeta(vault, row);
    return meta === null ? null : { kind, id, path: meta.path, aliases: meta.aliases };
  }
  const path = unsealOrNull(() => attachmentPath(vault, row));
  return path === null ? null : { kind, id, path, aliases: [] };
}

export function readableTexts(
  vault: OpenVault,
  row: { source_id: string; version: number; texts: Buffer },
): LinkText[] | null {
  return unsealOrNull(() => openTexts(vault, row.source_id, row.version, row.texts));
}

export function readableSource(vault: OpenVault, row: SealedNote & { version: number; texts: Buffer }) {
  const meta = readableMeta(vault, row);
  const texts = readableTexts(vault, { ...row, source_id: row.id });
  return meta === null || texts === null ? null : { path: meta.path, texts };
}

/** Returns null where another note's stored bytes are damaged: that note's own reads and writes report it. */
export function unsealOrNull<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof KeyringError || error instanceof NotevaultError) return null;
    throw error;
  }
}

/** Throws `note_unreadable` where the note's own stored bytes are damaged: unreadable data is an error, never empty. */
export const unsealOrThrow = <T>(open: () => T): T => openedOr('note_unreadable', open);
