/** Slow calls outside the table of operations: tools, tickets and slices of uploads. */
import assert from 'node:assert/strict';
import { SlowCall } from '../../kit/clients/slow-call.ts';
import { createUpload, tus } from '../../kit/content/slices.ts';
import type { Scene } from './removals.ts';

export const PIECE = Buffer.alloc(1000, 'a');

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const inVault = ({ world }: Pick<Scene, 'world'>) => ({ 'x-vault-id': world.vault });

/** Calls a tool that writes a note. */
export function slowTool({ server, world }: Scene, token: string, path = 'by a tool.md'): SlowCall {
  const params = { name: 'create_note', arguments: { vault: world.vault, path, content: 'late' } };
  const sent = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return new SlowCall(server, 'POST', '/mcp', sent, {
    ...bearer(token),
    accept: 'application/json, text/event-stream',
  });
}

/** Sends a slice of an upload of this length; less than all of it. */
export async function slowSlice(scene: Scene, token: string, path: string, length: number): Promise<SlowCall> {
  const url = await createUpload(scene.server.bearer(token), path, length, {}, inVault(scene));
  const headers = { ...tus, ...bearer(token), 'content-type': 'application/offset+octet-stream' };
  const sent = { ...headers, 'upload-offset': '0', 'content-length': `${length}` };
  return new SlowCall(scene.server, 'PATCH', url, PIECE.subarray(0, Math.min(length, 2)), sent);
}

export async function slowTicket(scene: Scene, token: string, path: string, headers: Record<string, string>) {
  const asked = { operation: 'attachment.put', path };
  const { url } = (await scene.server.bearer(token).post('/tickets', asked, inVault(scene))).body;
  return new SlowCall(scene.server, 'PUT', new URL(url).pathname.slice('/api'.length), PIECE.subarray(0, 2), headers);
}

/** A slow machine may cut a slow body itself, with 408. Who lost only the vault may still call tools, which fail. */
export function assertRefused({ status, body }: { readonly status: number; readonly body: unknown }): void {
  if (status === 200) assert.equal((body as { result?: { isError?: boolean } }).result?.isError, true);
  else assert.ok([401, 403, 404, 408].includes(status), `${status}`);
}
