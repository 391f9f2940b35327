import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { readProgramFile } from '../../program/program.ts';
import { isBelowPublicPath } from '../public-path.ts';
import { HASHED, type WebApp, type WebFile } from './web-app.ts';

/** Addresses of the app's own pages. All are answered with the same document, and its script reads the address. */
const PAGES = ['/', '/index.html', '/invite', '/vaults', '/vaults/*', '/settings', '/settings/*', '/admin', '/admin/*'];

const COMMON = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' blob: data:`,
  `media-src 'self' blob:`,
  `connect-src 'self'`,
  `font-src 'self'`,
  `worker-src 'self'`,
  `manifest-src 'self'`,
  `frame-src 'self'`,
];
const PAGE_POLICY = [
  ...COMMON,
  `frame-ancestors 'none'`,
  `base-uri 'none'`,
  `form-action 'self'`,
  `require-trusted-types-for 'script'`,
  // The policies of platform/trusted-script-url.ts in the app, and of DOMPurify, which cleans HTML in notes.
  'trusted-types notevault-worker dompurify',
].join('; ');
/** Policy of frames that render notes with a library: they may only run their own scripts, without the app's origin. */
const FRAME_POLICY = framePolicy('data:');
/** Policy of the frame that shows one image of another server, after a click. */
const IMAGE_FRAME_POLICY = framePolicy('https: http:');
const IMAGE_FRAME = '/frames/image.html';

function framePolicy(images: string): string {
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src ${images}`,
    `font-src 'self'`,
    `frame-ancestors 'self'`,
    `base-uri 'none'`,
    `form-action 'none'`,
    'sandbox allow-scripts',
  ].join('; ');
}

/** Browser features that no page of the app, and no frame in one, uses. */
const PERMISSIONS = [
  'camera',
  'display-capture',
  'geolocation',
  'microphone',
  'payment',
  'serial',
  'usb',
  'hid',
  'midi',
]
  .map((name) => `${name}=()`)
  .join(', ');

const YEAR_SECONDS = 31_536_000;

/**
 * Mounts the web app: its files at their addresses, and the page for requests that do not refuse HTML. Others for the
 * addresses of pages are answered as if these did not exist, because programs expect JSON from this server.
 *
 * @param publicPath that of the public URL. The pages exist only below it, because their scripts read the address.
 */
export function mountWebApp(app: FastifyInstance, webApp: WebApp, publicPath: string): void {
  for (const url of PAGES) {
    mount(app, url, async (request, reply) => {
      reply.header('vary', 'accept, accept-encoding');
      if (!takesHtml(request)) throw new NotevaultError('not_found_route');
      if (publicPath !== '' && !isBelowPublicPath(request)) return reply.redirect(publicPath + request.url, 302);
      return send(request, reply, (await webApp.newest()).page, publicPath);
    });
  }
  // Without the slash, the pages are not below it.
  if (publicPath !== '') mount(app, publicPath, async (_request, reply) => reply.redirect(`${publicPath}/`, 302));
  // One route for all: separate ones would cost time at the start, and memory.
  mount(app, `/${HASHED}*`, async (request, reply) => {
    const { '*': name } = request.params as { '*': string };
    const address = `/${HASHED}${name}`;
    // Another server may have sent the page of a build that this one has not seen.
    return send(request, reply, webApp.build.files.get(address) ?? (await webApp.newest()).files.get(address));
  });
  for (const { address, isHashed } of webApp.build.files.values()) {
    if (isHashed) continue;
    mount(app, address, async (request, reply) =>
      send(request, reply, (await webApp.newest()).files.get(address), publicPath),
    );
  }
}

function mount(
  app: FastifyInstance,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route({ method: ['GET', 'HEAD'], url, exposeHeadRoute: false, schema: { hide: true }, handler });
}

function takesHtml({ headers: { accept = '*/*' } }: FastifyRequest): boolean {
  return new Negotiator({ headers: { accept } }).mediaType(['text/html']) !== undefined;
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: WebFile | undefined,
  publicPath = '',
): Promise<unknown> {
  if (file === undefined) throw new NotevaultError('not_found_route');
  reply.headers(headersOf(file));
  if (request.headers['if-none-match']?.includes(file.etag) === true) return reply.code(304).send();
  if (publicPath !== '' && file.address.endsWith('.html')) return reply.send(await pageBelow(publicPath, file));
  const coding = codingFor(request, file);
  const path = file.codings.get(coding);
  if (path === undefined) throw new NotevaultError('not_found_route');
  if (coding !== 'identity') reply.header('content-encoding', coding);
  return reply.send(await readProgramFile(path));
}

/** The text of a page whose addresses of files are below a path. Pages are so small that this one is not compressed. */
async function pageBelow(publicPath: string, { codings }: WebFile): Promise<string> {
  const page = await readProgramFile(codings.get('identity') ?? '');
  return page.toString().replaceAll(/ (href|src)="\/(?!\/)/g, ` $1="${publicPath}/`);
}

/** The smallest form that the client accepts. */
function codingFor({ headers }: FastifyRequest, { codings }: WebFile): string {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': headers['accept-encoding'] ?? 'identity' } });
  const accepted = new Set(negotiator.encodings([...codings.keys()]));
  return ['br', 'gzip'].find((coding) => accepted.has(coding)) ?? 'identity';
}

function policyOf({ address, isFrame }: WebFile): string {
  if (!isFrame) return PAGE_POLICY;
  return address === IMAGE_FRAME ? IMAGE_FRAME_POLICY : FRAME_POLICY;
}

function headersOf(file: WebFile): Record<string, string> {
  const { type, etag, isHashed, isFrame } = file;
  return {
    'content-type': type,
    etag,
    vary: isHashed || isFrame ? 'accept-encoding' : 'accept, accept-encoding',
    'cache-control': isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    // Scripts have it too: a worker is bound by the policy of its own file.
    'content-security-policy': policyOf(file),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': isHashed ? 'cross-origin' : 'same-origin',
    'referrer-policy': 'same-origin',
    'permissions-policy': PERMISSIONS,
    ...(isFrame ? {} : { 'x-frame-options': 'DENY' }),
    // Modules of a sandboxed frame are requested without an origin.
    ...(isHashed ? { 'access-control-allow-origin': '*' } : {}),
  };
}
