import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { collected } from './collect.ts';
import { isVaultNotFound } from './failure.ts';
import { noteUri, parseNoteUri } from './note-uri.ts';
import type { ToolContext } from './tool.ts';

const TEMPLATE = 'notevault://{vault_id}/{+path}';
const MARKDOWN = 'text/markdown';
const VAULTS_MAX = 10;
const RECENT = 20;
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
      const [advice, recent] = await Promise.all([adviceIn(vault), vault.recentNotes(RECENT)]);
      const others = recent.filter(({ path }) => path !== advice?.path);
      return { id, notes: advice === null ? others : [advice, ...others] };
    }),
  );
  return lists.flatMap(({ id, notes }) =>
    notes.map(({ path, title, updated_at: lastModified }) => ({
      ...{ uri: noteUri(id, path), name: path, title, mimeType: MARKDOWN },
      annotations: { lastModified },
    })),
  );
}

/** Reads the advice of a vault for assistants; null if it has none, or if it cannot be read, which hides nothing else. */
export function adviceIn(vault: VaultClient): Promise<Note | null> {
  return vault.readNote(ADVICE_PATH).catch(() => null);
}

/** Reads a note as text, and an attachment as text or bytes. Throws ResourceNotFoundError. */
export async function readResource(uri: string, { client }: ToolContext): Promise<ReadResourceResult> {
  const named = parseNoteUri(uri);
  if (named === null) throw new ResourceNotFoundError(uri);
  const vault = client.vault(named.vault);
  try {
    if (/\.md$/i.test(named.path)) {
      const note = await vault.readNote(named.path);
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
