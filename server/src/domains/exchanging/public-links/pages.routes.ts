import { NotevaultError } from '@notevault/protocol/errors.ts';
import { networkOf } from '@notevault/protocol/values/ip-network.ts';
import { FairSemaphore } from '../../../concurrency/semaphore.ts';
import { PUBLIC_FILES } from '../../../config/limits.ts';
import { closedSignal, onceClosed } from '../../../http/connections/closed-signal.ts';
import type { PageLanguage } from '../../../http/pages/page-language.ts';
import type { RawReply, RawRequest, RawRoute } from '../../../http/pages/raw-routes.ts';
import type { OpenFile } from '../../content/attachments/attachments.ts';
import { publicFileReply } from '../../content/attachments/download.schema.ts';
import { gonePage, PUBLIC_HEADERS, passwordPage } from './page-html.ts';
import type { PublicPages } from './pages.ts';
import { OPEN_MS } from './password-gate.ts';
import type { OpenLink, PublicLinks } from './public-links.ts';

/** The cookie that a right password sets, with the path of its link. */
const COOKIE = 'nv_open';
/** Requests per minute of a network, which all people of an office share. */
const PAGES = { atLeast: 600 };
/** A page requests each of its pictures. */
const FILES = { atLeast: 1_200 };

/** The pages of public links: of a note, of a folder, and of a note below that; and their files. */
export function publicPagesRoutes(links: PublicLinks, pages: PublicPages): RawRoute[] {
  const shared = { forPeople: true, nullOrigin: true, ownShare: true } as const;
  const routes = ['/s/:token', '/s/:token/n/:note'].flatMap((path): RawRoute[] => [
    {
      ...shared,
      path,
      method: 'GET',
      head: true,
      limit: PAGES,
      handle: (request) => show(links, pages, request),
    },
    { ...shared, path, method: 'POST', limit: 'auth', handle: (request) => unlock(links, pages, request) },
  ]);
  const sending = new FairSemaphore(PUBLIC_FILES);
  const reading = { method: 'GET', head: true, forPeople: true, ownShare: true } as const;
  return [
    ...routes,
    { ...reading, path: '/s/:token/files/:file', limit: FILES, handle: (request) => sendFile(pages, sending, request) },
    // Any other address, which would open the web app.
    { ...reading, path: '/s/*', limit: PAGES, handle: async ({ language }) => answer(gonePage(language), 404) },
  ];
}

function answer(html: string, status = 200, more: Readonly<Record<string, string>> = {}): RawReply {
  return { text: html, status, headers: { ...PUBLIC_HEADERS, ...more } };
}

async function show(links: PublicLinks, pages: PublicPages, request: RawRequest): Promise<RawReply> {
  return await orGone(
    request,
    async (link, token) => {
      if (!(await links.gate.isOpen(link, request.cookie(COOKIE)))) {
        return answer(passwordPage(request.language, await links.gate.formToken(link), null), 401);
      }
      const { language, params } = request;
      const { html, status } = await pages.open(link, token, params.note ?? null, language);
      return answer(html, status);
    },
    links,
  );
}

async function unlock(links: PublicLinks, pages: PublicPages, request: RawRequest): Promise<RawReply> {
  return await orGone(
    request,
    async (link, token) => {
      const { token: formToken, fields } = request.form();
      const { gate } = links;
      const refuse = async (fault: 'wrong' | 'later' | 'again', status: number) =>
        answer(passwordPage(request.language, await gate.formToken(link), fault), status);
      if (!(await gate.isForm(link, formToken))) return await refuse('again', 403);
      try {
        if (!(await gate.check(link, fields.get('password') ?? ''))) return await refuse('wrong', 401);
      } catch (error) {
        if (!(error instanceof NotevaultError) || error.code !== 'rate_limited') throw error;
        return await refuse('later', 429);
      }
      const path = pages.addressOf(token);
      const note = request.params.note === undefined ? '' : `/n/${encodeURIComponent(request.params.note)}`;
      const age = Math.floor(OPEN_MS / 1000);
      const secure = pages.isSecure ? '; Secure' : '';
      const cookie = `${COOKIE}=${await gate.cookie(link)}; Path=${path}; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
      return {
        text: '',
        status: 303,
        headers: { ...PUBLIC_HEADERS, location: `${path}${note}`, 'set-cookie': cookie },
      };
    },
    links,
  );
}

async function sendFile(pages: PublicPages, sending: FairSemaphore, request: RawRequest): Promise<RawReply> {
  const { params, query, header, language, ip, browser } = request;
  const { token = '', file = '' } = params;
  const { signature } = query;
  try {
    const found = await pages.file(token, file, typeof signature === 'string' ? signature : '');
    const bytes: OpenFile['bytes'] = async (range) => {
      const permit = await sending.acquire(networkOf(ip), 1, closedSignal(browser.response));
      onceClosed(browser.response, () => permit[Symbol.dispose]());
      return await found.bytes(range);
    };
    return { reply: publicFileReply({ ...found, bytes }, header) };
  } catch (error) {
    return goneFor(error, language);
  }
}

/** Answers for the link of a request; every link that opens nothing has the same answer. */
async function orGone(
  request: RawRequest,
  work: (link: OpenLink, token: string) => Promise<RawReply>,
  links: PublicLinks,
): Promise<RawReply> {
  const token = request.params.token ?? '';
  try {
    return await work(await links.find(token), token);
  } catch (error) {
    return goneFor(error, request.language);
  }
}

/** Rethrows any other error. */
function goneFor(error: unknown, language: PageLanguage): RawReply {
  if (!(error instanceof NotevaultError) || error.code !== 'public_link_not_found') throw error;
  return answer(gonePage(language), 404);
}
