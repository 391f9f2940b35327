import { pathOf, wellKnownUrl } from '@notevault/protocol/public-url.ts';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { Value } from 'typebox/value';
import type { Config } from '../config/config.ts';
import type { Finding } from '../doctor.ts';
import { PROBE_HEADER, SeenRequest } from '../http/monitoring/seen-request.ts';
import { ask, type HttpAnswer, opensSocket, sendBytes } from './http-checks.ts';

/** Size of the test upload: that of a photograph or a short film. */
const UPLOAD_BYTES = 50 * MB;
const CLOCK_SECONDS = 10;

type Settings = Pick<Config, 'publicUrl' | 'port' | 'host'>;

type ProxyFault = 'sockets' | 'body-size' | 'client-address' | 'host' | 'scheme' | 'paths';

const FIXES: Readonly<Record<ProxyFault, Readonly<Record<string, string>>>> = {
  sockets: {
    Caddy: 'nothing to set; look for a matcher that leaves /api/sync out',
    nginx: 'proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";',
    Traefik: 'nothing to set; look for a middleware that removes the headers Upgrade and Connection',
    Apache: 'a2enmod proxy_wstunnel; ProxyPass / http://127.0.0.1:4100/ upgrade=websocket',
    'Nginx Proxy Manager': 'switch on "Websockets Support" of the proxy host',
  },
  'body-size': {
    Caddy: 'remove request_body max_size',
    nginx: 'client_max_body_size 0; proxy_request_buffering off;',
    Traefik: 'remove the middleware buffering.maxRequestBodyBytes',
    Apache: 'LimitRequestBody 0',
    'Nginx Proxy Manager': 'Advanced: client_max_body_size 0;',
  },
  'client-address': {
    Caddy: 'nothing to set; behind another proxy: servers { trusted_proxies … }',
    nginx: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
    Traefik: 'nothing to set; behind another proxy: entryPoints.….forwardedHeaders.trustedIPs',
    Apache: 'ProxyAddHeaders On',
    'Nginx Proxy Manager': 'nothing to set',
  },
  host: {
    Caddy: 'remove header_up Host',
    nginx: 'proxy_set_header Host $http_host;',
    Traefik: 'passHostHeader: true',
    Apache: 'ProxyPreserveHost On',
    'Nginx Proxy Manager': 'nothing to set; look for a custom Host header',
  },
  scheme: {
    Caddy: 'nothing to set',
    nginx: 'proxy_set_header X-Forwarded-Proto $scheme;',
    Traefik: 'nothing to set',
    Apache: 'RequestHeader set X-Forwarded-Proto "https"',
    'Nginx Proxy Manager': 'nothing to set',
  },
  paths: {
    Caddy: 'reverse_proxy for all paths, without a matcher',
    nginx: 'location / { … } instead of location /api { … }',
    Traefik: 'a rule of Host(`…`) without PathPrefix',
    Apache: 'ProxyPass / … instead of ProxyPass /api …',
    'Nginx Proxy Manager': 'no custom location',
  },
};

/** Checks the public address as clients use it. @param probe asks how a request arrived; null without its key. */
export async function* examinePublicAddress(config: Settings, probe: string | null): AsyncGenerator<Finding> {
  const what = 'public address';
  const { publicUrl } = config;
  if (publicUrl === null) {
    const says = 'NOTEVAULT_PUBLIC_URL is not set: links, OAuth and this check need it behind a proxy';
    yield { what, ok: true, warning: true, says };
    return;
  }
  const url = new URL(publicUrl);
  yield examineScheme(url);
  const headers = probe === null ? {} : { [PROBE_HEADER]: probe };
  const health = await ask(`${publicUrl}/api/health`, { headers });
  if (health === null) {
    const says = `${publicUrl} cannot be reached from this machine. If other machines reach it, this is no fault`;
    yield { what, ok: true, warning: true, says };
    return;
  }
  if (health.status !== 200 || !health.text.includes('"version"')) {
    yield { what, ok: false, says: `${publicUrl} leads elsewhere: /api/health was answered ${health.status}` };
    return;
  }
  yield examineClock(health);
  if (probe !== null) yield* examineHeaders(config, url, seenIn(health));
  yield await examineSockets(publicUrl);
  yield await examineBodySize(publicUrl);
  yield await examinePaths(publicUrl);
  yield await examineMcp(publicUrl);
}

function examineScheme(url: URL): Finding {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const ok = url.protocol === 'https:' || isLocal;
  const says = ok
    ? `${url.origin}${isLocal ? ', this machine only' : ''}`
    : `${url.origin} is not encrypted: passwords and notes can be read on the way. Put a proxy with TLS in front.`;
  return { what: 'https', ok, says };
}

function examineClock({ headers }: HttpAnswer): Finding {
  const seconds = Math.abs(Date.now() - Date.parse(headers.date ?? '')) / 1000;
  const ok = !(seconds > CLOCK_SECONDS);
  return {
    what: 'clock',
    ok,
    says: ok ? 'that of the proxy and this one agree' : `${Math.round(seconds)} s apart from the proxy: set up NTP`,
  };
}

/** Returns how the server saw a request; null when it does not recognise the probe. */
function seenIn({ text }: HttpAnswer): SeenRequest | null {
  try {
    const { seen } = JSON.parse(text) as { readonly seen?: unknown };
    return Value.Check(SeenRequest, seen) ? seen : null;
  } catch {
    return null;
  }
}

function* examineHeaders({ port }: Settings, url: URL, seen: SeenRequest | null): Generator<Finding> {
  if (seen === null) {
    yield { what: 'proxy', ok: false, says: `${url.origin} leads to another server than the one of this data folder` };
    return;
  }
  yield seen.host === url.host
    ? { what: 'host header', ok: true, says: seen.host }
    : broken('host header', `the server sees the host "${seen.host}" instead of "${url.host}"`, 'host');
  const isProxied = url.protocol === 'https:' || Number(url.port || '80') !== port;
  if (!isProxied) return;
  if (seen.forwardedFor === null) {
    const says = `every client seems to come from ${seen.peer}, so limits by address hit all at once`;
    yield broken('client address', says, 'client-address');
  } else if (!seen.isTrusted) {
    const says = `the proxy ${seen.peer} is not trusted: set NOTEVAULT_TRUST_PROXY=${seen.peer}`;
    yield { what: 'client address', ok: false, says };
  } else yield { what: 'client address', ok: true, says: `reported by the proxy ${seen.peer}` };
  if (!seen.isTrusted) return;
  yield `${seen.scheme}:` === url.protocol
    ? { what: 'scheme', ok: true, says: seen.scheme }
    : broken('scheme', `the server sees ${seen.scheme} instead of ${url.protocol.slice(0, -1)}`, 'scheme');
}

async function examineSockets(publicUrl: string): Promise<Finding> {
  const opens = await opensSocket(`${publicUrl}/api/sync/socket`);
  if (opens) return { what: 'web sockets', ok: true, says: 'open' };
  return broken('web sockets', 'the proxy drops them: editors stay empty, and changes come late', 'sockets');
}

async function examineBodySize(publicUrl: string): Promise<Finding> {
  const what = 'uploads';
  const answer = await sendBytes(`${publicUrl}/api/attachments/probe.bin`, UPLOAD_BYTES);
  if (answer?.status === 413) return broken(what, 'the proxy refuses 50 MB', 'body-size');
  if (answer === null) return { what, ok: true, warning: true, says: 'an upload of 50 MB broke off without an answer' };
  return { what, ok: true, says: '50 MB pass' };
}

/** Some proxies are set up for /api only; clients of other programs need a few paths more. */
async function examinePaths(publicUrl: string): Promise<Finding> {
  const url = wellKnownUrl(publicUrl, 'oauth-authorization-server');
  const path = pathOf(url);
  const answer = await ask(url);
  const ok = answer?.status === 200 && answer.text.includes('"issuer"');
  if (ok) return { what: 'paths', ok, says: 'all are passed on' };
  return broken('paths', `${path} was answered ${answer?.status ?? 'by nobody'}: not all paths are passed on`, 'paths');
}

async function examineMcp(publicUrl: string): Promise<Finding> {
  const what = '/api/mcp';
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const answer = await ask(`${publicUrl}/api/mcp`, { method: 'POST', headers, body: '{}' });
  const challenge = answer?.headers['www-authenticate'] ?? '';
  if (answer?.status !== 401)
    return { what, ok: false, says: `was answered ${answer?.status ?? 'by nobody'} instead of 401` };
  const ok = challenge.includes(wellKnownUrl(publicUrl, 'oauth-protected-resource'));
  const says = ok
    ? 'asks assistants to sign in'
    : 'the proxy removes the header WWW-Authenticate, without which assistants cannot sign in';
  return { what, ok, says };
}

function broken(what: string, says: string, fault: ProxyFault): Finding {
  return { what, ok: false, says: `${says}. Set in${fixesOf(fault)}` };
}

/** The fix in the words of each proxy, a line each. */
function fixesOf(fault: ProxyFault): string {
  return Object.entries(FIXES[fault])
    .map(([proxy, fix]) => `\n        ${proxy}: ${fix}`)
    .join('');
}
