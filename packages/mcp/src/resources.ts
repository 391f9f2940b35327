import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { collected } from './collect.ts';
import { isVaultNotFound } from './failure.ts';
import { idInPath, noteUri, parseNoteUri } from './note-uri.ts';
import { cutTo } from './text/tokens.ts';
import type { ToolContext } from './tool.ts';

const TEMPLATE = 'notevault://{vault_id}/{+path}';
const MARKDOWN = 'text/markdown';
const VAULTS_MAX = 10;
const RECENT = 20;
const TITLE_TOKENS = 200;
/** The note that tells assistants what to know first about a vault. */
export const ADVICE_PATH = 'AGENTS.md';
const BYTES_MAX = 4 * MB;

/** URI templates with which hosts address notes and attachments. */
export const resourceTemplates = [
  {
    uriTemplate: TEMPLATE,
    name: 'entry',
    title: 'Note or attachment',
    description: 'A note or attachment, by the id of its vault and its path.',
  },
];

/** Returns the notes that changed last in each vault: all others are found by the template and its completion. */
export async function listResources({ client, vaults }: ToolContext): Promise<Resource[]> {
  const all = (await vaults()).slice(0, VAULTS_MAX);
  const lists = await Promise.all(
    all.map(async ({ id }) => {
      const vault = client.vault(id);
      const [isAdvised, recent] = await Promise.all([hasAdvice(vault), vault.recentNotes(RECENT)]);
      const others = recent.filter(({ path }) => !isAdvised || path !== ADVICE_PATH);
      return [
        ...(isAdvised ? [resourceOf(id, ADVICE_PATH, ADVICE_PATH)] : []),
        ...others.map(({ path, title, updated_at: lastModified }) => {
          return { ...resourceOf(id, path, title), annotations: { lastModified } };
        }),
      ];
    }),
  );
  return lists.flat();
}

function resourceOf(vault: string, path: string, title: string): Resource {
  return { uri: noteUri(vault, path), name: path, title: cutTo(title, TITLE_TOKENS), mimeType: MARKDOWN };
}

/** Returns whether a vault has advice for assistants; false too if that is not known, which hides nothing else. */
export function hasAdvice(vault: VaultClient): Promise<boolean> {
  return vault.hasNote(ADVICE_PATH).catch(() => false);
}

/** Reads a note as text, and an attachment as text or bytes. Throws ResourceNotFoundError. */
export async function readResource(uri: string, { client }: ToolContext): Promise<ReadResourceResult> {
  const named = parseNoteUri(uri);
  if (named === null) throw new ResourceNotFoundError(uri);
  const vault = client.vault(named.vault);
  try {
    const id = idInPath(named.path);
    if (id !== null || /\.md$/i.test(named.path)) {
      const note = await (id === null ? vault.readNote(named.path) : vault.readNoteById(id));
      if (note !== null) return { contents: [{ uri, mimeType: MARKDOWN, text: note.content }] };
    }
    const file = await vault.readAttachment(named.path);
    if (file === null) throw new ResourceNotFoundError(uri);
    const bytes = await collected(file.bytes, BYTES_MAX);
    if (bytes === null)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The attachment is larger than ${BYTES_MAX} bytes.`);
    const mimeType = file.mimeType;
    if (!mimeType.startsWith('text/')) return { contents: [{ uri, mimeType, blob: bytes.toBase64() }] };
    return { contents: [{ uri, mimeType, text: new TextDecoder().decode(bytes) }] };
  } catch (error) {
    if (isVaultNotFound(error)) throw new ResourceNotFoundError(uri);
    throw error;
  }
}
