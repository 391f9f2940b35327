import assert from 'node:assert/strict';
import type { TestServer } from './server.ts';
import { startShared } from './shared-vault.ts';

/** A picture of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The path of a public link. */
export const pathOf = (url: string) => url.slice(url.indexOf('/s/'));

/** Opens a page as a browser does, without following where it leads. */
export async function open(server: TestServer, path: string, init: RequestInit = {}) {
  const answer = await fetch(server.url + path, { redirect: 'manual', ...init });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** A form that a public page sends. */
export const form = (fields: Record<string, string>): RequestInit => ({
  method: 'POST',
  // A sandboxed page has no origin.
  headers: { origin: 'null', 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** The token of the form in a page. */
export const formToken = (page: string) => /name="token" value="([^"]+)"/.exec(page)?.[1] ?? '';

/** Alice's shared vault, with calls that write to it and share from it. */
export async function startPublic(server: TestServer) {
  const shared = await startShared(server);
  const { alice, headers } = shared;
  return {
    ...shared,
    /** Writes a note; resolves to its id. */
    write: async (path: string, content: string): Promise<string> =>
      (await alice.post('/notes', { path, content, mtime: 1 }, headers)).body.note.id,
    attach: (path: string, content_base64: string) =>
      alice.post('/attachments', { path, content_base64, mtime: 1 }, headers),
    /** Makes a public link; resolves to its id and the path of its page. */
    async link(body: object) {
      const made = await alice.post('/vault/links', body, headers);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return { id: made.body.link.id as string, path: pathOf(made.body.url), made: made.body };
    },
  };
}
