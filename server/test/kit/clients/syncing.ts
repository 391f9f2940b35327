import assert from 'node:assert/strict';
import type { Json, Writer } from '../notes.ts';

/** Follows the feed from a cursor to its end; resolves to its rows, with the last resume_cursor. */
export async function follow(writer: Writer, query: string, from: string | null = null, headers = {}) {
  const changes: Json[] = [];
  for (let cursor = from; ; ) {
    const at = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await writer.caller.get(`/sync/changes?${query}${at}`, headers);
    assert.equal(status, 200, JSON.stringify(body));
    changes.push(...body.changes);
    assert.equal(body.next_cursor, body.has_more ? body.resume_cursor : null);
    if (!body.has_more) return { changes, cursor: body.resume_cursor as string };
    cursor = body.next_cursor;
  }
}

export async function manifestOf({ caller }: Writer): Promise<Json> {
  const { status, body } = await caller.get('/sync/manifest');
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Uploads a text file; resolves to its metadata. */
export async function upload({ caller }: Writer, path: string, text: string): Promise<Json> {
  const body = { path, content_base64: Buffer.from(text).toString('base64'), mtime: 1.5 };
  const answer = await caller.post('/attachments', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.attachment;
}

export const pathsOf = (rows: Json[]): string[] => rows.map(({ path }) => path);
