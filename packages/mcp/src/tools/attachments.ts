import type { VaultClient } from '@notevault/client/vault-client.ts';
import { folderOf, normalizePath } from '@notevault/note-text/paths.ts';
import { operations, ticketed } from '@notevault/protocol/operations.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { Type } from 'typebox';
import { chooseVault } from '../choose-vault.ts';
import { collected } from '../collect.ts';
import { nearest } from '../edits/nearest.ts';
import { type Answer, DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { tokensOf } from '../text/tokens.ts';
import { CHANGES, tool } from '../tool.ts';
import { input, text, vault } from './fields.ts';

/** Image types that models can read. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const PICTURE_BYTES_MAX = MB;
const TEXT_BYTES_MAX = 20_000;
const TEXT_TOKENS_MAX = 5_000;
const TEXTS = /^(text\/|application\/(json|xml|yaml|javascript)\b)/;

export const getAttachment = tool({
  name: 'get_attachment',
  title: 'Read an attachment',
  description: 'Get an attachment: pictures to look at, short texts, and for all else a URL to download it from.',
  input: input({ vault, path: text('') }),
  rule: operations.getAttachment,
  async run({ vault: wanted, path: sent }, context) {
    const client = await chooseVault(context, wanted);
    const path = normalizePath(sent);
    const file = await client.readAttachment(path);
    if (file === null) throw await noSuchAttachment(client, path);
    const { mimeType, hash, size, bytes } = file;
    const isPicture = PICTURES.has(mimeType);
    const max = isPicture ? PICTURE_BYTES_MAX : TEXTS.test(mimeType) ? TEXT_BYTES_MAX : 0;
    const whole = size === null || size > max ? null : await collected(bytes, max);
    if (whole === null) {
      await bytes.cancel();
      return downloadable(client, { path, mimeType, hash, size });
    }
    const facts = `${mimeType}, ${whole.length} bytes, hash ${hash}; complete`;
    // Without structured content: hosts that show a model only that would leave out the picture.
    if (isPicture) return { parts: [facts, data(path)], pictures: [{ data: whole.toBase64(), mimeType }] };
    const content = new TextDecoder().decode(whole);
    if (tokensOf(content) > TEXT_TOKENS_MAX) return downloadable(client, { path, mimeType, hash, size });
    const structured = {
      notice: DATA_NOTICE,
      path,
      mime_type: mimeType,
      hash,
      size: whole.length,
      complete: true,
      content,
    };
    return { parts: [facts, data([path, content].join('\n'))], structured };
  },
});

interface Found {
  readonly path: string;
  readonly mimeType: string;
  readonly hash: string;
  readonly size: number | null;
}

async function downloadable(client: VaultClient, { path, mimeType, hash, size }: Found): Promise<Answer> {
  const { url, method, expires_at: expires } = await client.createTicket({ operation: 'attachment.get', path });
  const structured = {
    notice: DATA_NOTICE,
    path,
    mime_type: mimeType,
    hash,
    size,
    complete: false,
    url,
    method,
    expires_at: expires,
  };
  const how = `${method} ${url} until ${expires}; the URL needs no credential and is a secret.`;
  return {
    parts: [`${mimeType}, ${size ?? 'unknown'} bytes, hash ${hash}; not included.`, how, data(path)],
    structured,
  };
}

async function noSuchAttachment(client: VaultClient, path: string): Promise<ToolFailure> {
  const near = nearest(await client.attachmentsIn(folderOf(path)), path, (each) => each.path).map((each) => each.path);
  const lead = 'There is no attachment at this path.';
  return near.length === 0
    ? new ToolFailure(`${lead} list_folder shows those of a folder.`)
    : new ToolFailure(lead, data(near.join('\n')));
}

export const getUploadTarget = tool({
  name: 'get_attachment_upload_target',
  title: 'Get a URL to upload an attachment',
  description: 'Get a URL for uploading one attachment, once, within five minutes, without a credential.',
  input: input({ vault, path: text('Where it will be.'), max_bytes: Type.Optional(Type.Integer({ minimum: 1 })) }),
  rule: ticketed['attachment.put'],
  hints: CHANGES,
  async run({ vault: wanted, path, ...limits }, context) {
    const client = await chooseVault(context, wanted);
    const ticket = await client.createTicket({ operation: 'attachment.put', path: normalizePath(path), ...limits });
    const { url, method, expires_at: expires } = ticket;
    const parts = [
      `${method} the raw bytes to ${url} until ${expires}, once. The URL needs no credential and is a secret.`,
      'An attachment that is at the path already is replaced. No call undoes an upload.',
    ];
    return { parts, structured: { url, method, expires_at: expires } };
  },
});
