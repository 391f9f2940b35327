import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { listen } from '../programs/free-port.ts';
import { CLIENT, configFor } from './identity-provider.ts';

type Fields = Record<string, unknown>;

/** The answers that an attack changes. */
export interface Attack {
  /** Claims of the token, over the honest ones; undefined removes one. */
  readonly claims?: Fields;
  /** Header of the token, over the honest one. */
  readonly header?: Fields;
  /** Makes the signature of the token; honest by default. */
  readonly signature?: (input: string) => Buffer;
  /** The answer to the request for the person's claims. */
  readonly userInfo?: Fields;
  /** Parameters of the redirect back, over the honest ones. */
  readonly redirect?: Record<string, string>;
  readonly metadata?: Fields;
  /** The status of the metadata. */
  readonly status?: number;
}

/** A provider that answers as an attack says. */
export async function startAttacker() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let attack: Attack = {};
  const asked = { nonce: '', tokens: 0 };
  const http = createServer();
  const { url: issuer, ...listening } = await listen(http);
  const metadata = () => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/me`,
    jwks_uri: `${issuer}/jwks`,
    id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'],
    authorization_response_iss_parameter_supported: true,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    ...attack.metadata,
  });
  const encoded = (fields: Fields) => Buffer.from(JSON.stringify(fields)).toString('base64url');
  const tokenOf = () => {
    const now = Math.floor(Date.now() / 1000);
    const honest = { iss: issuer, sub: 'eve', aud: CLIENT.id, exp: now + 300, iat: now, nonce: asked.nonce };
    const input = `${encoded({ alg: 'RS256', kid: 'a', ...attack.header })}.${encoded({ ...honest, ...attack.claims })}`;
    const made = attack.signature?.(input) ?? sign('RSA-SHA256', Buffer.from(input), privateKey);
    return `${input}.${made.toString('base64url')}`;
  };
  const answers: Readonly<Record<string, () => Fields>> = {
    '/.well-known/openid-configuration': metadata,
    '/jwks': () => ({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'a', alg: 'RS256', use: 'sig' }] }),
    '/token': () => {
      asked.tokens += 1;
      return { access_token: 'a', token_type: 'Bearer', expires_in: 60, id_token: tokenOf() };
    },
    '/me': () => ({ sub: 'eve', email: 'eve@example.org', email_verified: true, ...attack.userInfo }),
  };
  http.on('request', (request, response) => {
    const answer = answers[new URL(request.url ?? '/', issuer).pathname];
    const status = answer === metadata ? (attack.status ?? 200) : 200;
    response.writeHead(answer === undefined ? 404 : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer?.() ?? {}));
  });
  return {
    ...listening,
    issuer,
    config: configFor(issuer),
    /** The requests for tokens so far. */
    get tokens() {
      return asked.tokens;
    },
    /** Sets the answers from now on. */
    plays(next: Attack) {
      attack = next;
    },
    /** Answers an authorization request at once; returns the address to which the browser is sent. */
    async visit(url: string): Promise<string> {
      const { searchParams } = new URL(url);
      asked.nonce = searchParams.get('nonce') ?? '';
      const back = new URL(searchParams.get('redirect_uri') ?? '');
      const honest = { code: 'a-code', state: searchParams.get('state') ?? '', iss: issuer };
      back.search = new URLSearchParams({ ...honest, ...attack.redirect }).toString();
      return back.href;
    },
  };
}
